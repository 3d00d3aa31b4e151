"""Several starts of an optimization by the workers of executors."""

import json
import multiprocessing
import subprocess
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import costate
from conftest import SCENES
from costate import _starts


def spawned():
    """Processes that begin anew: a fork of a process with threads may hang."""
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


UNCHANGED = dict.fromkeys(("rtol", "atol", "duration", "formulation", "case", "max_time", "memory"))
"""The options of a call that gives none."""

SHORT = {"parameters": [], **UNCHANGED, "duration": 1.0}


def same(found, wanted):
    found, wanted = found.to_dict(), wanted.to_dict()
    assert found["statistics"].pop("seconds") > 0 and wanted["statistics"].pop("seconds") > 0
    assert found == wanted


def test_starts_of_workers_lead_to_the_result_of_one_process(five_bar):
    wanted = five_bar.optimize(starts=5, seed=3, solver="lbfgs-b", rtol=1e-8, duration=1)
    assert len(wanted.starts) == 5 and wanted.final.value < wanted.initial.value
    same(five_bar.optimize(starts=5, seed=3, solver="lbfgs-b", executor=spawned, rtol=1e-8, duration=1), wanted)
    with ThreadPoolExecutor(2) as threads:
        found = five_bar.optimize(starts=5, seed=3, solver="lbfgs-b", executor=threads, rtol=1e-8, duration=1)
    same(found, wanted)
    assert found.scene.text == wanted.scene.text


def test_starts_of_workers_lead_to_the_result_of_the_program(five_bar, program):
    run = [program, "optimize", str(SCENES / "five_bar.ron"), "--starts", "3", "--duration", "1", "--json", "--quiet"]
    wanted = json.loads(subprocess.run(run, capture_output=True, check=True, timeout=120).stdout)
    with ThreadPoolExecutor(2) as threads:
        found = json.loads(five_bar.optimize(starts=3, executor=threads, duration=1).to_json())
    del found["statistics"], wanted["statistics"]
    assert found == wanted


# An objective without a value for half of the range.
HALF = """Scene(
    name: "Half", space: Planar, parameters: { "h": (value: 2.0, bounds: (-1.0, 3.0)) }, points: { "P": (at: ["h", 0], mass: 1) },
    objectives: { "f": Final("(sqrt(P.x) - 0.7)^2") }, simulation: (duration: 0.1),
    optimization: (minimize: "f", over: ["h"], solver: LbfgsB, starts: 12),
)"""


def test_starts_without_a_value_are_rows_and_are_drawn_again_by_workers(monkeypatch):
    scene = costate.Scene(HALF)
    wanted = scene.optimize()
    assert len(wanted.starts) == 12 and sum(row["count"] for row in wanted.failed_starts) > 0
    rounds = []
    real = _starts.all_done
    monkeypatch.setattr(_starts, "all_done", lambda *given: rounds.append(len(given[1])) or real(*given))
    with ThreadPoolExecutor(2) as threads:
        same(scene.optimize(executor=threads), wanted)
    assert rounds[0] == 12 and len(rounds) > 1


def test_the_caller_simulates_no_start(five_bar, monkeypatch):
    # Only what is known: nothing is left that one more round would ask for.
    with ThreadPoolExecutor(2) as threads:
        known, _ = _starts.known_points(five_bar, SHORT, (None, 3, None), threads)
    assert len(known) == 3 and all(text.count("\n") > 3 for text in known)
    assert five_bar._inner.unfinished_starts(SHORT, (None, 3, None), known) == []
    assert len(five_bar._inner.unfinished_starts(SHORT, (None, 3, None), known[:1])) == 2


def test_one_start_needs_no_workers_and_other_problems_are_refused(five_bar):
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(costate.RequestError, match="one start"):
            five_bar.optimize(executor=threads)
        with pytest.raises(costate.Error, match="L99"):
            five_bar.optimize(executor=threads, starts=2, L99=1.0)
    with ThreadPoolExecutor(1) as threads:
        known, _ = _starts.known_points(five_bar, SHORT, (None, 2, None), threads)
    with pytest.raises(costate.RequestError, match="another problem"):
        five_bar._inner.optimize({**SHORT, "rtol": 1e-7}, (None, 2, None), known)


def test_the_time_is_that_of_the_call_as_a_whole(five_bar):
    with ThreadPoolExecutor(1) as threads:
        found = five_bar.optimize(starts=200, executor=threads, max_time=1.0)
    assert found.status == "interrupted" and found.final.value <= found.initial.value


class Dying(ThreadPoolExecutor):
    """An executor whose first worker dies."""

    lives = 1

    def submit(self, *task):
        if Dying.lives > 0:
            Dying.lives -= 1
            return super().submit(self._die)
        return super().submit(*task)

    @staticmethod
    def _die():
        raise BrokenExecutor("a worker died")


def test_starts_go_on_when_a_worker_dies(five_bar):
    same(five_bar.optimize(starts=2, executor=Dying, duration=1), five_bar.optimize(starts=2, duration=1))
