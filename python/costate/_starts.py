"""The starts of an optimization, by the workers of an executor."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from ._sweep import all_done, compiled, within

if TYPE_CHECKING:
    from ._scene import Scene


def known_points(
    scene: Scene, changed: dict[str, Any], wanted: tuple, executor: Executor | Callable[[], Executor]
) -> tuple[list[str], dict[str, Any]]:
    """The points that the starts evaluate, as far as workers come in time, and the options for the time that is left then.

    Methods are deterministic: the optimization that knows these points asks for no others. Where starts have no value, others are
    drawn in their place, which are computed in further rounds.
    """
    inner, raw, mark = scene._inner, pickle.dumps(scene), scene._inner.fingerprint()
    end = None if changed["max_time"] is None else time.time() + changed["max_time"]
    known: list[str] = []
    asked: set[tuple] = set()
    while end is None or time.time() < end:
        # Without a limit: what is known costs no time.
        found = inner.unfinished_starts({**changed, "max_time": None}, wanted, known)
        starts = [start for start in found if (start[0], *start[1]) not in asked]
        if not starts:
            break
        asked.update((index, *place) for index, place in starts)
        jobs = {k: (raw, changed, wanted, start, (mark, end)) for k, start in enumerate(starts)}
        known += all_done(_points, jobs, executor).values()
    return known, within(changed, end)


def _points(raw: bytes, changed: dict[str, Any], wanted: tuple, start: tuple, when: tuple[str, float | None]) -> str:
    mark, end = when
    return compiled(raw, mark)._inner.start(within(changed, end), wanted, start)
