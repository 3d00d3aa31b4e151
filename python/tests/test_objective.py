"""Objectives as functions for other optimizers."""

import numpy as np
import pytest

import costate
from conftest import SCENES


def test_an_objective_is_a_value_with_its_gradient(five_bar):
    f = five_bar.objective({"int_height": 2.0, "y2": -1.0}, parameters=["L01", "k1"], k2=101.0)
    assert np.array_equal(f.x0, [five_bar.parameters["L01"].value, 100.0])
    assert f.bounds == [(0.5, 4.0), (None, None)]
    value, slope = f(f.x0)
    found = five_bar.gradient(["int_height", "y2"], ["L01", "k1"], k2=101.0)
    assert value == 2.0 * found.values[0] - found.values[1]
    assert np.allclose(slope, 2.0 * found.array[0] - found.array[1], rtol=1e-14)
    with pytest.raises(ValueError, match="there are 2 parameters"):
        f([1.0])


def test_a_point_that_fails_is_infinitely_bad(five_bar):
    f = five_bar.objective("y2", ["L01", "LA1"])
    value, slope = f([9.0, 1.4])
    assert value == np.inf and np.array_equal(slope, [0.0, 0.0])
    assert f([2.0, 0.01])[0] == np.inf
    assert [type(error) for _, error in f.failures] == [costate.RequestError, costate.AssemblyError]


def test_what_is_wrong_whatever_the_point_is_found_before_the_first(five_bar):
    with pytest.raises(costate.UsageError, match='no objective "y3"'):
        five_bar.objective("y3")
    with pytest.raises(costate.RequestError, match="kk"):
        five_bar.objective("y2", ["L01"], kk=1.0)
    with pytest.raises(costate.UsageError, match="formulation"):
        five_bar.objective("y2", ["L01"], formulation="nulspace")


def test_scipy_finds_what_the_program_finds():
    optimize = pytest.importorskip("scipy.optimize")
    scene = costate.Scene.load(SCENES / "five_bar_rest.ron")
    wanted = scene.optimize()
    name = wanted.objective
    f = scene.objective(name, parameters=list(wanted.final.parameters))
    found = optimize.minimize(f, f.x0, jac=True, bounds=f.bounds, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    assert np.allclose(found.x, list(wanted.final.parameters.values()), rtol=1e-4)
