"""Objectives as functions of jax."""

import numpy as np
import pytest

import costate
from conftest import BALL, HEIGHT, TIGHT, start

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

from costate.jax import function  # noqa: E402


def test_gradients_are_those_of_the_reference(five_bar):
    f, x = function(five_bar, "int_height", **TIGHT), start(five_bar)
    assert f(x).shape == () and abs(f(x) - 0.2624131821138738) < 1e-9
    for slopes in [jax.grad(f)(x), jax.jit(jax.grad(f))(x), jax.jacfwd(f)(x), jax.jacrev(f)(x)]:
        assert slopes.dtype == np.float64
        assert np.abs(slopes - HEIGHT).max() < 1e-9, slopes - HEIGHT


def test_several_objectives_are_rows(five_bar):
    f = function(five_bar, ["y2", "int_height"], parameters=["k1", "L01"], k2=101.0)
    values, slopes = five_bar.jacobian(["y2", "int_height"], ["k1", "L01"], k2=101.0)
    x = np.array([100.0, np.sqrt(5.0)])
    assert np.array_equal(f(x), values)
    for found in [jax.jacfwd(f)(x), jax.jacrev(f)(x), jax.jit(jax.jacfwd(f))(x)]:
        assert np.allclose(found, slopes, rtol=1e-14, atol=0.0)
    along = jax.jvp(f, (x,), (np.array([0.0, 2.0]),))[1]
    assert np.allclose(along, 2.0 * slopes[:, 1], rtol=1e-14)


def test_a_batch_is_its_points(five_bar):
    f = function(five_bar, "int_height", ["L01", "k1"])
    points = np.array([[2.2, 100.0], [2.25, 90.0], [2.3, 110.0]])
    slopes = jax.vmap(jax.grad(f))(points)
    assert np.array_equal(slopes, [jax.grad(f)(point) for point in points])
    assert np.array_equal(jax.jit(jax.vmap(f))(points), [f(point) for point in points])


def test_second_derivatives_are_those_of_the_scene(ball):
    f, x = function(ball, ["y", "both"], ["e", "height"]), np.array([0.5, 1.25])
    whole = ball.hessian()
    places = [whole.parameters.index(name) for name in ["e", "height"]]
    wanted = np.array([whole[name][np.ix_(places, places)] for name in ["y", "both"]])
    for found in [jax.hessian(f)(x), jax.jit(jax.jacfwd(jax.jacfwd(f)))(x)]:
        assert found.shape == (2, 2, 2) and np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert np.abs(wanted).max() > 0.1


def test_a_chain_of_functions_is_differentiated(ball):
    f = function(ball, "area", ["e"])

    def goal(s):
        return f(jax.numpy.array([0.5 + s**2])) ** 2

    slope = 2.0 * ball.run(e=0.51).objectives.area * ball.gradient("area", e=0.51)["area", "e"] * 0.2
    assert abs(jax.grad(goal)(0.1) - slope) < 1e-9


def test_a_point_that_fails_is_no_number_and_says_why(five_bar):
    f = function(five_bar, "y2", ["L01", "LA1"])
    with pytest.warns(RuntimeWarning, match="L01"):
        assert np.isnan(f(np.array([9.0, 1.4])))
    with pytest.warns(RuntimeWarning, match="no value at"):
        found = jax.vmap(jax.grad(f))(np.array([[2.2, np.sqrt(2.0)], [2.2, 0.01]]))
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()


def test_second_derivatives_that_do_not_exist_are_no_numbers_and_say_why():
    f = function(costate.Scene(BALL.replace('"y": Final("y"),', '"top": Max("y"),').replace('"y + 2', '"top + 2')), "top", ["e"])
    with pytest.warns(RuntimeWarning, match="no second derivatives"):
        assert np.isnan(jax.hessian(f)(np.array([0.5]))).all()


def test_what_is_wrong_whatever_the_point_is_found_before_the_first(five_bar):
    with pytest.raises(costate.UsageError, match='no objective "y3"'):
        function(five_bar, "y3")
    with pytest.raises(ValueError, match="there are 2 parameters"):
        function(five_bar, "y2", ["L01", "LA1"])(np.zeros(3))
