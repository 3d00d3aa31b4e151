"""Times: the fastest of several."""

from time import perf_counter


def fastest(call, seconds=0.3, fewest=3):
    """Seconds of the fastest of the calls that fit into the time."""
    begin, least, count = perf_counter(), float("inf"), 0
    while count < fewest or perf_counter() - begin < seconds:
        start = perf_counter()
        call()
        least = min(least, perf_counter() - start)
        count += 1
    return least


def repeated(call, times=20):
    """Seconds of one of many calls, the fastest of several samples."""

    def sample():
        for _ in range(times):
            call()

    return fastest(sample) / times
