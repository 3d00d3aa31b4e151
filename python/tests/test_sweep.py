"""Sweeps over the workers of executors."""

import functools
import json
import multiprocessing
import os
import subprocess
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import costate
from conftest import SCENES
from costate import _sweep

POINTS = [{"L01": 1.8 + 0.05 * k, "k1": 90.0 + k} for k in range(7)] + [{"L01": 9.0, "k1": 1.0}, {"L01": 2.0, "LA1": 1.0}]


@pytest.fixture
def processes():
    """Processes that begin anew: a fork of a process with threads may hang."""
    return lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def same(found, wanted):
    found, wanted = found.to_dict(), wanted.to_dict()
    found["statistics"].pop("seconds"), wanted["statistics"].pop("seconds")
    assert found == wanted


def test_rows_of_an_executor_are_those_of_one_process(five_bar, processes):
    points = POINTS[:8]
    wanted = five_bar.sweep(points, gradient=True, rtol=1e-10)
    assert wanted.failures[0].count == 1 and wanted.rows[7].status == "request"
    same(costate.sweep(five_bar, points, processes, gradient=True, chunk=3, rtol=1e-10), wanted)
    with ThreadPoolExecutor(2) as threads:
        same(costate.sweep(five_bar, points, threads, gradient=True, chunk=2, rtol=1e-10), wanted)
    with pytest.raises(ValueError, match="the same parameters"), ThreadPoolExecutor(2) as threads:
        costate.sweep(five_bar, POINTS, threads, chunk=1)
    with pytest.raises(ValueError, match="no points"), ThreadPoolExecutor(2) as threads:
        costate.sweep(five_bar, [], threads)


def test_a_worker_refuses_files_that_have_changed(tmp_path, monkeypatch):
    for name in ["bouncing_ball_fit.ron", "bouncing_ball_fit.csv"]:
        (tmp_path / name).write_text((SCENES / name).read_text())
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "bouncing_ball_fit.csv"
    scene = costate.Scene.load("bouncing_ball_fit.ron")
    name, known = next(iter(scene.parameters.items()))
    points = [{name: known.value}]
    with ThreadPoolExecutor(1) as threads:
        same(costate.sweep(scene, points, threads), scene.sweep(points))
        lines = table.read_text().splitlines()
        table.write_text("\n".join(lines[:-1]) + "\n")
        fewer = costate.Scene.load("bouncing_ball_fit.ron")
        assert fewer.sweep(points).rows != scene.sweep(points).rows
        # What the worker has kept is that of the other table.
        same(costate.sweep(fewer, points, threads), fewer.sweep(points))
        monkeypatch.setattr(_sweep, "_COMPILED", {})
        with pytest.raises(costate.FileError, match="not those that it was read from"):
            costate.sweep(scene, points, threads)


def test_the_time_is_that_of_the_call_as_a_whole(five_bar):
    points = [{"k1": 90.0 + 0.01 * k} for k in range(400)]
    with pytest.raises(costate.Interrupted), ThreadPoolExecutor(1) as threads:
        costate.sweep(five_bar, points, threads, chunk=1, max_time=0.1)


def test_points_are_computed_by_workers_only(five_bar, monkeypatch):
    def rows(*job):
        asked.append(job)
        return own(*job)

    asked, own = [], _sweep._rows
    monkeypatch.setattr(_sweep, "_rows", rows)
    with ThreadPoolExecutor(1) as threads:
        found = costate.sweep(five_bar, POINTS[:2], threads, chunk=1)
    assert found.rows[1].status == "ok" and len(asked) == 2
    monkeypatch.setattr(_sweep, "_rows", lambda *_: [])
    with ThreadPoolExecutor(1) as threads:
        assert costate.sweep(five_bar, POINTS[:2], threads).rows == [], "nothing is computed by the caller"


def test_what_is_wrong_with_the_points_is_raised_by_a_worker(five_bar):
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(costate.Error, match="L99"):
            costate.sweep(five_bar, [{"L99": 1.0}], threads)
        with pytest.raises(TypeError, match="given one value as well"):
            costate.sweep(five_bar, [{"k1": 1.0}], threads, k1=2.0)


def test_a_worker_compiles_a_scene_once(five_bar, monkeypatch):
    monkeypatch.setattr(_sweep, "_COMPILED", {})
    with ThreadPoolExecutor(1) as threads:
        costate.sweep(five_bar, POINTS[:6], threads, chunk=1)
    assert len(_sweep._COMPILED) == 1


class Dying(ThreadPoolExecutor):
    """An executor whose workers die a number of times."""

    lives = 0

    def submit(self, *task):
        future = super().submit(*task)
        if Dying.lives > 0 and task[2][1][0][1] == 92.0:
            Dying.lives -= 1
            future.cancel()
            future = super().submit(self._die)
        return future

    @staticmethod
    def _die():
        raise BrokenExecutor("a worker died")


def test_a_sweep_goes_on_when_a_worker_dies(five_bar):
    wanted = five_bar.sweep(POINTS[:6])
    Dying.lives = 2
    same(costate.sweep(five_bar, POINTS[:6], Dying, chunk=2), wanted)
    Dying.lives = 3
    with pytest.raises(BrokenExecutor):
        costate.sweep(five_bar, POINTS[:6], Dying, chunk=2)
    Dying.lives = 1
    with pytest.raises(BrokenExecutor), Dying(1) as one:
        costate.sweep(five_bar, POINTS[:6], one, chunk=2)


def _killed_once(path, *job):
    if not os.path.exists(path):
        open(path, "w").close()
        os._exit(1)
    return _sweep._rows(*job)


def test_a_process_that_is_killed_is_replaced(five_bar, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(_sweep, "_rows", functools.partial(_killed_once, str(tmp_path / "died")), raising=True)
    real = _sweep._rows
    assert real.func is _killed_once
    wanted = five_bar.sweep(POINTS[:4])
    same(costate.sweep(five_bar, POINTS[:4], processes, chunk=2), wanted)
    assert (tmp_path / "died").exists()


def test_dask_gives_the_same_rows_though_a_worker_is_killed(five_bar, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    wanted = five_bar.sweep(POINTS[:8], gradient=True)
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local as cluster, distributed.Client(cluster) as client:
        same(costate.sweep(five_bar, POINTS[:8], client.get_executor(), gradient=True, chunk=3), wanted)
        monkeypatch.setattr(_sweep, "_rows", functools.partial(_killed_once, str(tmp_path / "died")))
        same(costate.sweep(five_bar, POINTS[:8], client.get_executor(), gradient=True, chunk=3), wanted)
    assert (tmp_path / "died").exists()


def test_rows_are_kept_as_they_come_and_a_sweep_goes_on(five_bar, tmp_path, monkeypatch):
    points, wanted = POINTS[:8], five_bar.sweep(POINTS[:8], gradient=True)
    own = _sweep._rows

    def stopped(*job):
        if job[1][1][0][1] == 94.0:
            raise KeyboardInterrupt
        return own(*job)

    with ThreadPoolExecutor(1) as threads, monkeypatch.context() as patch:
        patch.setattr(_sweep, "_rows", stopped)
        with pytest.raises(KeyboardInterrupt):
            costate.sweep(five_bar, points, threads, gradient=True, chunk=2, out=tmp_path)
    kept = (tmp_path / "sweep.csv").read_text().splitlines()
    assert len(kept) >= 1 + 4, kept
    # Neither what is kept nor whatever goes on with it matters to the rows.
    with ThreadPoolExecutor(1) as threads:
        found = costate.sweep(five_bar, points, threads, gradient=True, chunk=3, out=tmp_path)
    assert found.rows == wanted.rows and found.failures == wanted.failures
    assert found.statistics.kept == len(kept) - 1 and found.statistics.simulated == 8 - found.statistics.kept
    again = five_bar.sweep(points, gradient=True, out=tmp_path)
    assert again.rows == wanted.rows and again.statistics.kept == 8
    with pytest.raises(costate.RequestError, match="another sweep"):
        five_bar.sweep(points[:7], gradient=True, out=tmp_path)


def test_the_table_is_that_of_the_program(five_bar, program, tmp_path):
    run = [program, "sweep", str(SCENES / "five_bar.ron"), "--vary", "k1=90:110:5", "--out", str(tmp_path / "a"), "--quiet"]
    subprocess.run(run, capture_output=True, check=True, timeout=120)
    five_bar.sweep({"k1": (90, 110, 5)}, out=tmp_path / "b")
    assert (tmp_path / "a" / "sweep.csv").read_bytes() == (tmp_path / "b" / "sweep.csv").read_bytes()
    # Another program, and another build of this one, would not go on with it.
    recipes = [json.loads((tmp_path / folder / "sweep.json").read_text()) for folder in "ab"]
    assert recipes[0].pop("build") != recipes[1].pop("build") and recipes[0] == recipes[1]


def test_rows_of_something_else_are_refused(five_bar, monkeypatch):
    monkeypatch.setattr(_sweep, "_rows", lambda *job: [["0", "1.8", "ok"]])
    with ThreadPoolExecutor(1) as threads, pytest.raises(costate.RequestError, match="none of this sweep"):
        costate.sweep(five_bar, POINTS[:2], threads)
