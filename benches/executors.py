"""What a point of a sweep costs beyond its computation, by the workers of several executors.

    python benches/executors.py threads processes dask ray
    mpiexec -n 3 python -m mpi4py.futures benches/executors.py mpi

Needs the package costate, and dask (distributed), ray or mpi4py where these are asked for.
"""

import contextlib
import pathlib
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import costate

SCENE = pathlib.Path(__file__).parents[1] / "scenes" / "five_bar.ron"
WORKERS, POINTS, CHUNK = 2, 1000, 50


class Ray(Executor):
    """The workers of ray as an executor."""

    def __init__(self):
        import ray

        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
        self.run = ray.remote(lambda task, *arguments: task(*arguments))

    def submit(self, task, /, *arguments) -> Future:
        return self.run.remote(task, *arguments).future()

    def shutdown(self, wait=True, *, cancel_futures=False):
        import ray

        ray.shutdown()


@contextlib.contextmanager
def dask():
    from distributed import Client, LocalCluster

    local = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        yield client.get_executor()


def mpi():
    from mpi4py.futures import MPIPoolExecutor

    return MPIPoolExecutor()


EXECUTORS = {
    "threads": lambda: ThreadPoolExecutor(WORKERS),
    "processes": lambda: ProcessPoolExecutor(WORKERS),
    "dask": dask,
    "ray": Ray,
    "mpi": mpi,
}


def main(names):
    scene = costate.Scene.load(SCENE)
    points = [{"k1": 90.0 + 0.02 * k} for k in range(POINTS)]
    clock = time.perf_counter()
    wanted = scene.sweep(points, threads=WORKERS).to_dict()["rows"]
    alone = time.perf_counter() - clock
    print(f"{'alone':10} {1e3 * alone / POINTS:7.3f} ms a point")
    for name in names:
        with EXECUTORS[name]() as executor:
            costate.sweep(scene, points[: WORKERS * CHUNK], executor, chunk=CHUNK)
            clock = time.perf_counter()
            found = costate.sweep(scene, points, executor, chunk=CHUNK)
            seconds = time.perf_counter() - clock
        assert found.to_dict()["rows"] == wanted, name
        print(f"{name:10} {1e3 * seconds / POINTS:7.3f} ms a point, {1e3 * (seconds - alone) / POINTS:7.3f} ms more than alone")


if __name__ == "__main__":
    main(sys.argv[1:] or ["threads", "processes"])
