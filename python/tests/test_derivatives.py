"""Derivatives from Python: against closed forms, differences and the program."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import costate
from conftest import BALL, SCENES


def richardson(value, at, step):
    """Derivative of a function of one number, of order 4 in the step."""
    central = [(value(at + h) - value(at - h)) / (2 * h) for h in (step, step / 2)]
    return (4 * central[1] - central[0]) / 3


def test_a_gradient_through_impacts_is_that_of_differences(five_bar):
    gradient = five_bar.gradient(["int_height", "y2"])
    assert gradient.array.shape == (2, 8) and gradient.values.shape == (2,)
    for name in ["L01", "k1"]:
        start = five_bar.parameters[name].value

        def value(x, name=name):
            return five_bar.run(parameters={name: x}, record=False, balance=False).objectives.int_height

        difference = richardson(value, start, 1e-5 * start)
        assert abs(gradient["int_height", name] - difference) < 1e-7 * max(1.0, abs(difference)), name


def test_the_methods_agree(five_bar):
    adjoint, forward = five_bar.gradient(), five_bar.gradient(method="forward")
    assert np.abs(adjoint.array - forward.array).max() < 1e-7 * np.abs(forward.array).max()
    assert "gradient" in forward.report.events[0] and "gradient" not in adjoint.report.events[0]
    with pytest.raises(costate.UsageError, match="did you mean `forward`"):
        five_bar.gradient(method="forwards")


def test_objectives_and_parameters_can_be_chosen(ball):
    found = ball.gradient("both", parameters=["e", "height"])
    assert (found.objectives, found.parameters) == (["both"], ["e", "height"])
    whole = ball.gradient()
    assert found.array.shape == (1, 2)
    assert np.allclose(found.array[0], [whole["both", "e"], whole["both", "height"]], rtol=1e-9)
    assert list(found.report.objectives) == ["both"]
    assert np.array_equal(ball.gradient("both", wrt="e", height=2.0).array, ball.gradient("both", "e", height=2.0).array)
    with pytest.raises(costate.UsageError, match='nothing is differentiated by "g"'):
        ball.gradient(wrt="g")


def test_the_gradient_of_a_fall_is_that_of_its_formula(ball):
    # y = h - g t^2 / 2 before the first impact.
    found = ball.gradient("y", parameters=["height", "e"], duration=0.3)
    assert np.allclose(found.array, [[1.0, 0.0]], atol=1e-10)
    second = ball.hessian(duration=0.3)
    assert second["area"].shape == (3, 3) and second.parameters == ["height", "e", "push off"]
    assert np.allclose(second["area"], 0.0, atol=1e-9)


def test_second_derivatives_are_those_of_differences_of_gradients(ball):
    second = ball.hessian()
    assert np.allclose(second["area"], second["area"].T)

    def slope(e):
        return ball.gradient("area", e=e)["area", "e"]

    row = second.parameters.index("e")
    assert abs(second["area"][row, row] - richardson(slope, 0.5, 1e-3)) < 1e-6


def test_a_jacobian_is_the_gradient_in_arrays(five_bar):
    values, slopes = five_bar.jacobian(["y2", "int_height"], ["k1", "L01"], L02=2.0)
    found = five_bar.gradient(["y2", "int_height"], ["k1", "L01"], L02=2.0)
    assert np.array_equal(values, found.values) and np.array_equal(slopes, found.array)
    order = five_bar.jacobian(["int_height", "y2"], ["L01", "k1"], L02=2.0)
    assert np.array_equal(order[1], slopes[::-1, ::-1]) and np.array_equal(order[0], values[::-1])


def test_a_derivative_that_does_not_exist_is_an_error_with_its_reason():
    # All three lengths of a triangle that fits for these alone.
    text = """Scene(
        name: "Triangle", space: Planar, parameters: { "a": 1.0 },
        ground: { "A": [0, 0], "B": [1, 0] }, points: { "P": (guess: [0.5, 0.8]), "Q": (at: [3, 0], mass: 1) },
        bodies: { "left": Bar(from: "A", to: "P", length: "a", mass: 1), "right": Bar(from: "P", to: "B", length: 1, mass: 1) },
        joints: { "x": DriveCoordinate(coordinate: "P.x", value: 0.5) },
        objectives: { "y": Final("P.y") }, simulation: (duration: 0.1),
    )"""
    scene = costate.Scene(text)
    found = scene.gradient()
    assert np.isnan(found["y", "a"]) and "cannot change alone" in found.report.no_derivative["a"]
    with pytest.raises(costate.AssemblyError, match="cannot change alone"):
        scene.jacobian(["y"], ["a"])


@pytest.mark.parametrize("options", [[], ["--method", "forward"], ["--hessian"]])
def test_the_numbers_are_those_of_the_program(options, program):
    path = SCENES / "five_bar.ron"
    command = [program, "gradient", path, "--json", "--quiet", *options]
    wanted = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    scene = costate.Scene.load(path)
    found = scene.gradient(method="forward" if "forward" in options else "adjoint").to_dict()
    if "--hessian" in options:
        found["hessian"] = scene.hessian().report.to_dict()
        wanted["hessian"].pop("seconds"), found["hessian"].pop("seconds")
    wanted["statistics"].pop("seconds"), found["statistics"].pop("seconds")
    assert found == wanted


def test_a_certificate_passes(ball):
    found = ball.gradient(["area"], certify=True)
    entries = found.report.certificate.entries
    assert found.report.certificate.verdict == "passed" and {entry.verdict for entry in entries} == {"passed"}
    assert {entry.objective for entry in entries if "objective" in entry} == {"area"}
    one = next(entry for entry in entries if entry.get("objective") == "area" and entry.parameter == "e")
    assert abs(one.forward - found["area", "e"]) < 1e-8 and abs(one.difference.value - one.forward) < one.tolerance


def test_an_optimization_finds_the_scene_it_says():
    scene = costate.Scene.load(SCENES / "five_bar_rest.ron")
    found = scene.optimize()
    assert found.final.value < 1e-6 * found.initial.value and found.status in ("minimum", "target reached", "converged")
    better = found.scene
    assert better.parameters["L01"].value == found.final.parameters.L01
    copy = pickle.loads(pickle.dumps(found))
    assert type(copy) is costate.Optimized and copy == found and copy.scene.text == better.text
    assert costate.Scene.load(SCENES / "five_bar_rest.ron").optimize(solver="bfgs").solver == "bfgs"
    with pytest.raises(costate.RequestError, match="does not say what to optimize"):
        costate.Scene.load(SCENES / "box_drop.ron").optimize()


def test_a_fit_tells_standard_errors():
    scene = costate.Scene.load(SCENES / "bouncing_ball_fit.ron")
    found = scene.fit()
    assert found.solver == "gauss-newton" and found.fit
    assert found.scene.parameters  # Its table is read again.


@pytest.mark.parametrize("gradient", [False, True])
def test_a_sweep_has_the_rows_of_the_program(gradient, program):
    path = SCENES / "five_bar.ron"
    command = [program, "sweep", path, "--vary", "L01=1.8:2.6:3", "--vary", "k1=90:110:2", "--json", "--quiet"]
    command += ["--gradient"] * gradient
    wanted = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = costate.Scene.load(path).sweep({"L01": (1.8, 2.6, 3), "k1": (90, 110, 2)}, gradient=gradient).to_dict()
    wanted.pop("statistics"), found.pop("statistics")
    assert found == wanted


def test_a_sweep_takes_points_and_samples(five_bar):
    points = [{"L01": 2.0, "k1": 100.0}, {"L01": 9.0, "k1": 100.0}]
    rows = five_bar.sweep(points).rows
    assert [row.status for row in rows] == ["ok", "request"] and "L01" in rows[1].reason
    assert rows[0].objectives == five_bar.run(**points[0], balance=False).objectives
    sample = five_bar.sweep({"L01": (2.0, 2.2)}, sample=3, seed=5)
    assert sample.points == 3 and all(2.0 <= row.parameters.L01 <= 2.2 for row in sample.rows)
    assert sample.rows != five_bar.sweep({"L01": (2.0, 2.2)}, sample=3, seed=6).rows
    with pytest.raises(ValueError, match=r"\(low, high, count\)"):
        five_bar.sweep({"L01": (2.0, 2.2)})
    with pytest.raises(TypeError, match="one value as well: L01"):
        five_bar.sweep([{"L01": 2.0}], L01=2.1)
    with pytest.raises(ValueError, match="no points"):
        five_bar.sweep([])
    with pytest.raises(costate.UsageError, match="no parameter `L0l`"):
        five_bar.sweep({"L0l": (2.0, 2.2, 3)})


def test_an_objective_without_second_derivatives_says_why():
    scene = costate.Scene(BALL.replace('"y": Final("y"),', '"y": Final("y"), "top": Max("y"),'))
    found = scene.hessian()
    assert list(found.report.missing) == ["top"] and found["y"].shape == (3, 3)
    with pytest.raises(costate.RequestError, match='"top" has no second derivatives: .'):
        found["top"]
    only = costate.Scene(BALL.replace('"y": Final("y"), "area": Integral("y"), "both": Formula("y + 2 * area")', '"top": Max("y")'))
    with pytest.raises(costate.RequestError, match="no second derivatives"):
        only.hessian()["top"]
