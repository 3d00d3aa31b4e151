"""Sweeps over the workers of an executor."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from typing import TYPE_CHECKING, Any

from . import _arguments as given
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
    out: str | os.PathLike | None = None,
    parameters: Values | None = None,
    **changes: Any,
) -> Report:
    """Objectives over points, as ``scene.sweep(points)``, computed by the workers of any executor of ``concurrent.futures``.

    Rows are the same to the last bit. ``points`` have values of the same parameters by name; workers take ``chunk`` of them at a
    time and compile the scene once. A function that makes an executor may be given in the place of one: then a pool that a dying
    worker has broken is made anew, up to three times for the same points, and shut down at the end. ``max_time`` holds for the call
    as a whole, by the clocks of the workers. ``out`` is a folder in which the rows of chunks are kept as they come: the same call
    goes on where it was interrupted.
    """
    changed = given.changed(parameters, changes)
    places = given.points_beside(changed, [dict(point) for point in points], None, 0)
    swept = scene._sweep(changed, places, gradient, out)
    end = None if changed["max_time"] is None else time.time() + changed["max_time"]
    raw, mark, missing, size = pickle.dumps(scene), scene._inner.fingerprint(), swept.missing(), max(1, chunk)
    jobs = {}
    for first in range(0, len(missing), size):
        part = [places[1][index] for index in missing[first : first + size]]
        jobs[first] = (raw, (places[0], part), (changed, gradient), (mark, end))
    try:
        all_done(_rows, jobs, executor, lambda first, rows: swept.add(missing[first : first + size], rows))
        return report(swept.report())
    finally:
        swept.close()


def all_done(
    task: Callable,
    jobs: dict[int, tuple],
    executor: Executor | Callable[[], Executor],
    keep: Callable[[int, Any], None] = lambda _start, _found: None,
) -> dict[int, Any]:
    """What the task gives for the arguments of each job, by the workers of an executor, or of those that a function makes; ``keep`` is
    told each as it comes."""
    own = not isinstance(executor, Executor)
    done: dict[int, Any] = {}
    for left in reversed(range(_TRIES)):
        pool = executor() if own else executor
        try:
            futures = {start: pool.submit(task, *job) for start, job in jobs.items() if start not in done}
            broken = _gather(futures, done, keep)
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


def _gather(futures: dict[int, Any], done: dict[int, Any], keep: Callable[[int, Any], None]) -> BrokenExecutor | None:
    """Keeps what the workers found; gives back what broke them."""
    broken, starts = None, {future: start for start, future in futures.items()}
    try:
        for future in as_completed(starts):
            try:
                done[starts[future]] = future.result()
                keep(starts[future], done[starts[future]])
            except BrokenExecutor as error:
                broken = error
    finally:
        for future in futures.values():
            future.cancel()
    return broken


def _rows(raw: bytes, places: tuple[list, list], how: tuple[dict, bool], when: tuple[str, float | None]) -> list[list[str]]:
    """The rows of some points, by a worker: where its files give the scene of this mark, and up to a time."""
    (changed, gradient), (mark, end) = how, when
    swept = compiled(raw, mark)._sweep(within(changed, end), places, gradient)
    swept.compute(1)
    return swept.rows()


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
