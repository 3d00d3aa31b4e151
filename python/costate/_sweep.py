"""Sweeps over the workers of an executor."""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from typing import TYPE_CHECKING, Any

from ._errors import FileError
from ._report import Report, report

if TYPE_CHECKING:
    from ._scene import Scene, Values

_COMPILED: dict[tuple[str, str], Scene] = {}
"""Scenes of this worker, by the digest of their pickle and by what they compute."""

_MOST_COMPILED = 16
"""Scenes that a worker keeps."""

_LEAST_TIME = 1e-9
"""Time (s) that is left where it is over: the call then ends as it would by itself."""

_TRIES = 3
"""How often a chunk is given to a worker that dies over it."""


def sweep(
    scene: Scene,
    points: Sequence[Values],
    executor: Executor | Callable[[], Executor],
    *,
    gradient: bool = False,
    chunk: int = 16,
    parameters: Values | None = None,
    **changes: Any,
) -> Report:
    """Objectives over points, as ``scene.sweep(points)``, computed by the workers of any executor of ``concurrent.futures``.

    Rows are the same to the last bit. ``points`` have values of the same parameters by name; workers take ``chunk`` of them at a
    time and compile the scene once. A function that makes an executor may be given in the place of one: then a pool that a dying
    worker has broken is made anew, up to three times for the same points, and shut down at the end. ``max_time`` holds for the call
    as a whole, by the clocks of the workers.
    """
    clock = time.perf_counter()
    raw = pickle.dumps(scene)
    options = {"gradient": gradient, "parameters": dict(parameters or {}), **changes}
    points = [dict(point) for point in points]
    if not points:
        raise ValueError("the sweep has no points")
    if any(list(point) != list(points[0]) for point in points):
        raise ValueError("every point of a sweep has values of the same parameters in the same order")
    end = None if changes.get("max_time") is None else time.time() + changes["max_time"]
    starts, mark = list(range(0, len(points), max(1, chunk))), scene._inner.fingerprint()
    jobs = {start: (raw, points[start : start + max(1, chunk)], options, (mark, end)) for start in starts}
    done = all_done(_rows, jobs, executor)
    return _joined([done[start] for start in starts], starts, len(points), time.perf_counter() - clock)


def all_done(task: Callable, jobs: dict[int, tuple], executor: Executor | Callable[[], Executor]) -> dict[int, Any]:
    """What the task gives for the arguments of each job, by the workers of an executor, or of those that a function makes."""
    own = not isinstance(executor, Executor)
    done: dict[int, Any] = {}
    for left in reversed(range(_TRIES)):
        pool = executor() if own else executor
        try:
            futures = {start: pool.submit(task, *job) for start, job in jobs.items() if start not in done}
            broken = _gather(futures, done)
        except BrokenExecutor as error:
            broken = error
        finally:
            if own:
                pool.shutdown(cancel_futures=True)
        if broken is None:
            return done
        if not own or left == 0:
            raise broken
    return done


def _gather(futures: dict[int, Any], done: dict[int, Any]) -> BrokenExecutor | None:
    """Keeps what the workers found; gives back what broke them."""
    broken = None
    try:
        for start, future in futures.items():
            try:
                done[start] = future.result()
            except BrokenExecutor as error:
                broken = error
    finally:
        for future in futures.values():
            future.cancel()
    return broken


def _rows(raw: bytes, points: list, options: dict[str, Any], when: tuple[str, float | None]) -> dict:
    """The report of some points, by a worker: where its files give the scene of this mark, and up to a time."""
    mark, end = when
    options = within(options, end)
    return compiled(raw, mark).sweep(points, threads=1, **options).to_dict()


def within(options: dict[str, Any], end: float | None) -> dict[str, Any]:
    """The options of a call with the time that is left."""
    return options if end is None else {**options, "max_time": max(end - time.time(), _LEAST_TIME)}


def compiled(raw: bytes, mark: str) -> Scene:
    """The scene of a pickle, which a worker compiles once: where its files give the scene of this mark."""
    key = hashlib.sha256(raw).hexdigest(), mark
    scene = _COMPILED.get(key)
    if scene is None:
        scene = pickle.loads(raw)
        if scene._inner.fingerprint() != mark:
            message = f"the files of {scene.name!r} are not those that it was read from, where a worker reads them"
            raise FileError(message, scene.name, advice="load the scene anew, and let all workers see the same files")
        if len(_COMPILED) >= _MOST_COMPILED:
            _COMPILED.clear()
        _COMPILED[key] = scene
    return scene


def _joined(parts: list[dict], starts: list[int], count: int, seconds: float) -> Report:
    rows, failures = [], {}
    for start, part in zip(starts, parts, strict=True):
        rows += [{**row, "index": start + row["index"]} for row in part["rows"]]
        for failure in part["failures"]:
            known = failures.setdefault(failure["status"], {**failure, "count": 0, "index": start + failure["index"]})
            known["count"] += failure["count"]
    found = {**parts[0], "points": count, "rows": rows, "failures": list(failures.values())}
    found["statistics"] = {"kept": 0, "simulated": len(rows), "seconds": seconds}
    return report(found)
