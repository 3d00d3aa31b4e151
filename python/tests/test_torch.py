"""Objectives as functions of torch."""

import numpy as np
import pytest

import costate
from conftest import BALL, HEIGHT, TIGHT, start

torch = pytest.importorskip("torch", minversion="2.0")

from costate.torch import function  # noqa: E402


def tensor(values):
    return torch.tensor(np.asarray(values), dtype=torch.float64, requires_grad=True)


def test_gradients_are_those_of_the_reference(five_bar):
    f, x = function(five_bar, "int_height", **TIGHT), tensor(start(five_bar))
    value = f(x)
    assert value.shape == () and abs(value.item() - 0.2624131821138738) < 1e-9
    value.backward()
    func = torch.func
    for slopes in [x.grad, func.grad(f)(x), func.jacrev(f)(x), func.jacfwd(f)(x)]:
        assert slopes.dtype == torch.float64
        assert np.abs(slopes.detach().numpy() - HEIGHT).max() < 1e-9, slopes - HEIGHT


def test_several_objectives_are_rows(five_bar):
    f = function(five_bar, ["y2", "int_height"], parameters=["k1", "L01"], k2=101.0)
    values, slopes = five_bar.jacobian(["y2", "int_height"], ["k1", "L01"], k2=101.0)
    x = tensor([100.0, np.sqrt(5.0)])
    assert np.array_equal(f(x).detach(), values)
    for found in [torch.autograd.functional.jacobian(f, x), torch.func.jacrev(f)(x), torch.func.jacfwd(f)(x)]:
        assert np.allclose(found.detach(), slopes, rtol=1e-14, atol=0.0)
    along = torch.func.jvp(f, (x,), (torch.tensor([0.0, 2.0], dtype=torch.float64),))[1]
    assert np.allclose(along.detach(), 2.0 * slopes[:, 1], rtol=1e-14)


def test_a_batch_is_its_points(five_bar):
    f = function(five_bar, "int_height", ["L01", "k1"])
    points = tensor([[2.2, 100.0], [2.25, 90.0], [2.3, 110.0]])
    single = torch.stack([f(point) for point in points])
    slopes = torch.stack([torch.func.grad(f)(point) for point in points])
    assert torch.equal(f(points), single) and torch.equal(torch.vmap(f)(points), single)
    assert torch.equal(torch.vmap(torch.func.grad(f))(points), slopes)
    f(points).sum().backward()
    assert torch.equal(points.grad, slopes)
    rows = function(five_bar, ["int_height", "y2"], ["L01", "k1"])
    assert torch.vmap(torch.func.jacrev(rows))(points).shape == (3, 2, 2)
    assert rows(points).shape == (3, 2)


def test_second_derivatives_are_those_of_the_scene(ball):
    f, x = function(ball, ["y", "both"], ["e", "height"]), tensor([0.5, 1.25])
    whole = ball.hessian()
    places = [whole.parameters.index(name) for name in ["e", "height"]]
    wanted = np.array([whole[name][np.ix_(places, places)] for name in ["y", "both"]])
    func = torch.func
    rows = [torch.autograd.functional.hessian(lambda x, row=row: f(x)[row], x) for row in range(2)]
    for found in [torch.stack(rows), func.hessian(f)(x), func.jacrev(func.jacrev(f))(x), func.jacrev(func.jacfwd(f))(x)]:
        assert found.shape == (2, 2, 2) and np.allclose(found.detach(), wanted, rtol=1e-12, atol=1e-12)
    assert np.abs(wanted).max() > 0.1
    assert torch.autograd.gradcheck(f, (x,), eps=1e-6, atol=1e-5) and torch.autograd.gradgradcheck(f, (x,), eps=1e-6, atol=1e-4)


def test_derivatives_that_there_are_not_are_refused(ball):
    f = function(ball, "area", ["e"])
    with pytest.raises(NotImplementedError, match="torch.func.hessian"):
        torch.func.jacfwd(torch.func.jacfwd(f))(tensor([0.5]))
    with pytest.raises(NotImplementedError, match="no third derivatives"):
        torch.func.grad(lambda x: torch.func.hessian(f)(x).sum())(tensor([0.5]))


def test_a_chain_of_functions_is_differentiated(ball):
    f, s = function(ball, "area", ["e"]), tensor(0.1)
    (f((0.5 + s**2).reshape(1)) ** 2).backward()
    slope = 2.0 * ball.run(e=0.51).objectives.area * ball.gradient("area", e=0.51)["area", "e"] * 0.2
    assert abs(s.grad.item() - slope) < 1e-9


def test_an_optimizer_of_torch_goes_down(ball):
    f, e = function(ball, "area", ["e"]), torch.nn.Parameter(torch.tensor([0.5], dtype=torch.float64))
    optimizer, areas = torch.optim.Adam([e], lr=0.01), []
    for _ in range(5):
        optimizer.zero_grad()
        area = f(e)
        area.backward()
        optimizer.step()
        areas.append(area.item())
    assert all(later < former for former, later in zip(areas, areas[1:], strict=False)), areas


def test_a_point_that_fails_is_no_number_and_says_why(five_bar):
    f = function(five_bar, "y2", ["L01", "LA1"])
    with pytest.warns(RuntimeWarning, match="L01"):
        assert torch.isnan(f(tensor([9.0, 1.4])))
    points = tensor([[2.2, np.sqrt(2.0)], [2.2, 0.01]])
    with pytest.warns(RuntimeWarning, match="no value at"):
        f(points).sum().backward()
    assert torch.isfinite(points.grad[0]).all() and torch.isnan(points.grad[1]).all()


def test_second_derivatives_that_do_not_exist_are_no_numbers_and_say_why():
    f = function(costate.Scene(BALL.replace('"y": Final("y"),', '"top": Max("y"),').replace('"y + 2', '"top + 2')), "top", ["e"])
    assert torch.isfinite(torch.func.jacfwd(f)(tensor([0.5]))).all()
    with pytest.warns(RuntimeWarning, match="no second derivatives"):
        assert torch.isnan(torch.func.hessian(f)(tensor([0.5]))).all()


def test_precision_is_that_of_the_tensor(ball):
    f = function(ball, "area", ["e"])
    single = f(torch.tensor([0.5]))
    assert single.dtype == torch.float32 and abs(single.item() - f(tensor([0.5])).item()) < 1e-6


def test_what_is_wrong_whatever_the_point_is_found_before_the_first(five_bar):
    with pytest.raises(costate.UsageError, match='no objective "y3"'):
        function(five_bar, "y3")
    with pytest.raises(ValueError, match="there are 2 parameters"):
        function(five_bar, "y2", ["L01", "LA1"])(torch.zeros(3))
