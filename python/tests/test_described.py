"""Optimizations and fits that Python describes are those of scene files."""

import json
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import costate
from conftest import BALL, SCENES

WRITTEN = """,
    optimization: (
        minimize: [(1, "miss"), (0.5, "y")], over: ["e", (parameter: "height", bounds: (0.5, 3), scale: 0.5)],
        subject_to: { "area": (at_least: 0.3, at_most: 0.6) },
        cases: [(name: "as it is"), (name: "on the moon", set: { "g": 1.62, "height": "0.9*height" }, weight: 0.5)],
        options: (first_step: 0.05), stopping: (gradient: 1e-6, max_iterations: 7),
    ),
)"""

DESCRIBED = {
    "minimize": {"miss": 1, "y": 0.5},
    "over": {"e": None, "height": {"bounds": (0.5, 3), "scale": 0.5}},
    "subject_to": {"area": {"at_least": 0.3, "at_most": 0.6}},
    "cases": [{"name": "as it is"}, {"name": "on the moon", "set": {"g": 1.62, "height": "0.9*height"}, "weight": 0.5}],
    "options": {"first_step": 0.05},
    "stopping": {"gradient": 1e-6, "max_iterations": 7},
}

MISS = BALL.replace('"y": Final("y"),', '"y": Final("y"), "miss": Final("(y - 0.2)^2"),').replace('"e": 0.5', '"e": (value: 0.5, bounds: (0.1, 0.9))')


def numbers(found):
    found = json.loads(found.to_json())
    del found["statistics"]
    return found


def test_what_is_described_is_what_a_scene_says():
    written = costate.Scene(MISS.removesuffix(",\n)") + WRITTEN).optimize(e=0.6)
    found = costate.Scene(MISS).optimize(**DESCRIBED, e=0.6)
    assert numbers(found) == numbers(written)
    assert found.solver == "slsqp" and found.final.value < found.initial.value
    assert list(found.constraints) == ["area (as it is)", "area (on the moon)"] and found.iterations <= 7


def test_the_program_finds_the_same(tmp_path, program):
    scene = costate.Scene(MISS).with_optimization(**DESCRIBED)
    (tmp_path / "ball.ron").write_text(scene.text)
    run = [program, "optimize", str(tmp_path / "ball.ron"), "--json", "--quiet"]
    wanted = json.loads(subprocess.run(run, capture_output=True, check=True, timeout=120).stdout)
    del wanted["statistics"]
    assert numbers(scene.optimize()) == wanted


def test_names_and_bounds_have_short_forms(five_bar):
    def same(one, other):
        assert five_bar.with_optimization("int_height", one).optimize(duration=0.5) is not None
        assert numbers(five_bar.optimize("int_height", one, duration=0.5)) == numbers(five_bar.optimize("int_height", other, duration=0.5))

    same("L01", ["L01"])
    same({"L01": (2.0, 2.5), "k1": None}, {"L01": {"bounds": [np.float64(2.0), 2.5]}, "k1": {}})


def test_fields_that_are_left_out_are_those_of_the_scene(ball):
    scene = costate.Scene(MISS).with_optimization(**DESCRIBED)
    again = scene.with_optimization(stopping={"max_iterations": 2}, cases=[])
    assert again.optimize().iterations == 2 and len(again.optimize(max_time=60).final.parameters) == 2
    with pytest.raises(costate.SceneError, match="minimize"):
        ball.with_optimization(over=["e"])


def test_described_scenes_are_pickled_and_optimized_by_workers(five_bar):
    scene = five_bar.with_optimization("int_height", {"L01": (1.5, 3.0), "k1": (80, 120)})
    assert pickle.loads(pickle.dumps(scene)).text == scene.text
    with ThreadPoolExecutor(2) as threads:
        found = scene.optimize(starts=3, duration=0.5, executor=threads)
    assert numbers(found) == numbers(five_bar.optimize("int_height", {"L01": (1.5, 3.0), "k1": (80, 120)}, starts=3, duration=0.5))
    assert found.scene.optimize(duration=0.5, starts=1).initial.value == found.final.value


def test_mistakes_are_shown_where_they_are_described(five_bar):
    def refused(**given):
        with pytest.raises(costate.SceneError) as caught:
            five_bar.optimize(**{"minimize": "int_height", "over": ["L01"], **given})
        assert caught.value.place.file == "description" and caught.value.place.line == 1, caught.value
        return caught.value

    error = refused(minimize="int_hight")
    assert "int_height" in error.advice and '"int_hight"' in error.place.text and "P2" not in str(error)
    assert "L01" in refused(over=["L0"]).advice
    assert "twice" in refused(over=["L01", "L01"]).message
    assert "between" in refused(over={"L01": (3.0, 4.0)}).message
    assert "max_iterations" in refused(stopping={"max_iteration": 3}).advice
    assert "at_most" in refused(subject_to={"int_height": {"at_moost": 3}}).advice
    assert refused(over={"L01": (float("nan"), 4.0)}) and refused(over=[])
    with pytest.raises(TypeError, match="no name of a field"):
        five_bar.optimize("int_height", ["L01"], stopping={"a b": 1})
    with pytest.raises(TypeError, match="neither a text nor a number"):
        five_bar.optimize("int_height", ["L01"], stopping={"target": object()})


# Measured data.


def fitted():
    """A scene with measured data in a file, and the same without them."""
    whole = costate.Scene.load(SCENES / "bouncing_ball_fit.ron")
    bare = whole.text.replace('"misfit": Fit(data: "bouncing_ball_fit.csv", events: { "impact": "floor" }, sigma: 0.01),', "")
    bare = bare.replace('optimization: (minimize: "misfit", over: ["g", "e"]),', "")
    assert "bouncing_ball_fit.csv" not in bare.split("Scene(")[-1] and "optimization" not in bare.split("Scene(")[-1]
    rows = (SCENES / "bouncing_ball_fit.csv").read_text().splitlines()
    rows = [row for row in rows if not row.startswith("#")]
    return whole, costate.Scene(bare), np.array([float(row) for row in rows[1:]])


def test_a_fit_to_arrays_is_that_to_the_same_table(program, tmp_path):
    whole, bare, times = fitted()
    wanted = whole.fit()
    found = bare.fit({"impact": times}, events={"impact": "floor"}, sigma=0.01, over=["g", "e"])
    assert found.final == wanted.final and found.fit.parameters == wanted.fit.parameters
    (tmp_path / "fit.ron").write_text(found.scene.text)
    run = [program, "optimize", str(tmp_path / "fit.ron"), "--json", "--quiet", "--out", str(tmp_path / "out")]
    again = json.loads(subprocess.run(run, capture_output=True, check=True, timeout=120).stdout)
    assert again["initial"]["value"] == found.final.value
    # What is written beside it needs no table.
    costate.Scene.load(tmp_path / "out" / "optimized.ron")


def test_a_fit_takes_tables_of_pandas_and_cells_that_were_not_measured(ball):
    pandas = pytest.importorskip("pandas")
    run = ball.run(e=0.55, height=1.3)
    t = np.linspace(0.05, 1.15, 12)
    table = pandas.DataFrame({"t": t, "y": run.at(t)["y"]})
    table.loc[3, "y"] = float("nan")
    found = ball.fit(table, over=["e", "height"])
    assert found.fit.degrees_of_freedom == 11 - 2
    assert abs(found.final.parameters.e - 0.55) < 1e-8 and abs(found.final.parameters.height - 1.3) < 1e-8
    # Columns may differ in length, and measure expressions.
    impacts = [event.t for event in run.events]
    data = {"time": t, "double": 2 * run.at(t)["y"], "hit": impacts}
    measured = {"columns": {"double": {"of": "2*y", "sigma": 1e-3}}, "events": {"hit": {"of": "floor", "sigma": 1e-3}}}
    found = ball.fit(data, time="time", over={"e": (0.3, 0.8), "height": (1.0, 2.0)}, stopping={"max_iterations": 30}, **measured)
    assert abs(found.final.parameters.e - 0.55) < 1e-8 and found.solver == "gauss-newton"


def test_mistakes_of_data_are_shown(ball):
    with pytest.raises(costate.SceneError) as caught:
        ball.fit({"t": [0.1, 0.2], "speed": [1.0, 2.0]}, over=["e"])
    assert "`speed` of the table in the scene is not an output" in caught.value.message
    with pytest.raises(costate.SceneError, match="has no column `hight`"):
        ball.fit({"t": [0.1], "y": [1.0]}, {"hight": "y"}, over=["e"])
    with pytest.raises(costate.Error, match="9"):
        ball.fit({"t": [9.0], "y": [1.0]}, over=["e"])
    with pytest.raises(costate.UsageError, match='has an objective "fit" already'):
        ball.with_fit({"t": [0.1], "y": [1.0]}).with_fit({"t": [0.1], "y": [1.0]})
    with pytest.raises(TypeError, match="no data"):
        ball.fit(columns={"y": "y"})
