"""``costate.torch`` without torch: its own rules of differentiation, called by a stub as torch calls them."""

import importlib
import sys

import numpy as np
import pytest

import torch_stub
from conftest import HEIGHT, TIGHT, start
from torch_stub import Tensor


@pytest.fixture
def module(monkeypatch):
    """``costate.torch``, imported over the stub and forgotten again."""
    for name, found in torch_stub.modules().items():
        monkeypatch.setitem(sys.modules, name, found)
    monkeypatch.delitem(sys.modules, "costate.torch", raising=False)
    yield importlib.import_module("costate.torch")
    sys.modules.pop("costate.torch", None)


def test_values_and_gradients_are_those_of_the_reference(module, five_bar):
    f, x = module.function(five_bar, "int_height", **TIGHT), Tensor(start(five_bar))
    value = f(x)
    assert value.shape == () and abs(float(value.data) - 0.2624131821138738) < 1e-9
    value.backward()
    assert np.abs(x.grad.data - HEIGHT).max() < 1e-9
    along = np.arange(8.0)
    assert abs(torch_stub.jvp(f, x, Tensor(along))[1].data - HEIGHT @ along) < 1e-8


def test_batches_of_several_objectives_have_the_shapes_of_torch(module, five_bar):
    f = module.function(five_bar, ["int_height", "y2"], ["L01", "k1"])
    points = Tensor([[2.2, 100.0], [2.25, 90.0], [2.3, 110.0]])
    single = [five_bar.jacobian(["int_height", "y2"], ["L01", "k1"], L01=length, k1=k) for length, k in points.data]
    values = f(points)
    assert np.array_equal(values.data, [found[0] for found in single])
    weights = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])
    values.backward(Tensor(weights))
    wanted = np.einsum("bm,bmn->bn", weights, [found[1] for found in single])
    assert np.allclose(points.grad.data, wanted, rtol=1e-14)
    _, along = torch_stub.jvp(f, points, Tensor(weights))
    assert np.allclose(along.data, np.einsum("bmn,bn->bm", [found[1] for found in single], weights), rtol=1e-14)
    # A batch along the last axis, as vmap hands it over.
    function, context, _ = values.made_by
    moved, place = function.vmap(None, (1, None, None), Tensor(points.data.T), context.points, 0)
    assert place == 0 and np.array_equal(moved.data, values.data)


def test_derivatives_of_gradients_are_those_of_the_hessian(module, ball):
    f, x = module.function(ball, ["y", "both"], ["e", "height"]), Tensor([0.5, 1.25])
    function, context, _ = f(x).made_by
    slopes = function.apply(x, context.points, 1)
    weights = np.array([[1.0, 2.0], [3.0, 4.0]])
    slopes.backward(Tensor(weights))
    whole = ball.hessian()
    places = [whole.parameters.index(name) for name in ["e", "height"]]
    wanted = sum(row @ whole[name][np.ix_(places, places)] for row, name in zip(weights, ["y", "both"], strict=True))
    assert np.allclose(x.grad.data, wanted, rtol=1e-12) and np.abs(wanted).max() > 0.1
    with pytest.raises(NotImplementedError, match="no third derivatives"):
        function.apply(x, context.points, 3)


def test_types_are_those_of_the_tensor_and_failures_are_no_numbers(module, five_bar, ball):
    f = module.function(ball, "area", ["e"])
    assert f(Tensor(np.array([0.5], np.float32))).dtype == np.float32
    assert f([0.5]).dtype == np.float64 and f(Tensor([1])).dtype == np.float32
    with pytest.raises(ValueError, match="there are 1 parameters"):
        f(Tensor(np.zeros(3)))
    with pytest.warns(RuntimeWarning, match="L01"):
        assert np.isnan(module.function(five_bar, "y2", ["L01"])(Tensor([9.0])).data)
