"""Objectives as functions that torch differentiates; needs torch 2.0 or later."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

from ._objective import Pointwise
from ._scene import Scene, Values

__all__ = ["function"]


def function(
    scene: Scene,
    objectives: str | Iterable[str],
    wrt: str | Iterable[str] | None = None,
    *,
    parameters: Values | str | Iterable[str] | None = None,
    **changes: Any,
) -> Callable[[torch.Tensor], torch.Tensor]:
    """Objectives as a function of parameters for torch: a tensor of shape ``(..., n)`` gives one of shape ``(..., m)``, or ``(...)``
    where ``objectives`` is the name of one.

    ``wrt`` and ``parameters`` are as in ``Scene.objective``. ``backward``, and of ``torch.func`` ``grad``, ``jacrev``, ``jacfwd``,
    ``hessian`` and ``vmap`` work on it: first derivatives are those of ``Scene.jacobian``, second ones those of ``Scene.hessian``,
    and there are no third. ``jacfwd`` of ``jacfwd`` is refused, for torch loses derivatives there. Points of a batch are computed in parallel. A point that fails gives values that are no numbers, and a
    ``RuntimeWarning`` that says why. Results have the type and the device of ``x``: with ``torch.float64`` the precision of the
    simulation.
    """
    points = _Points(*Pointwise._of(scene, objectives, wrt, parameters, changes))

    def values(x: torch.Tensor) -> torch.Tensor:
        x = torch.as_tensor(x)
        x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
        if x.shape[-1:] != (points.n,):
            raise ValueError(f"x has the shape {tuple(x.shape)}, and there are {points.n} parameters")
        _refuse_forward_twice()
        return _Derivatives.apply(x, points, 0)

    return values


def _refuse_forward_twice() -> None:
    """Within a forward derivative of a forward derivative, torch takes the outer one of a function of one's own for zero."""
    forward = [transform for transform in retrieve_all_functorch_interpreters() if transform.key().name == "Jvp"]
    if len(forward) > 1:
        advice = "use torch.func.hessian, or jacrev for one of the two"
        raise NotImplementedError(f"torch cannot differentiate this function forward twice; {advice}")


class _Points:
    """Derivatives of objectives by their order; values and first derivatives of the last points are kept for each other."""

    def __init__(self, points: Pointwise, rows: tuple[int, ...]) -> None:
        self.points, self.rows, self.n = points, rows, len(points.parameters)
        self.last: tuple[bytes, list[np.ndarray]] = (b"", [])

    def derivatives(self, x: np.ndarray, order: int) -> np.ndarray:
        """Shape: that of the points, of the objectives, and ``n`` for each order."""
        shapes = tuple(self.rows + (self.n,) * k for k in range(3))
        if order == 2:
            return self.points._batch(lambda x: (self.points._second(x),), shapes[2:], x)[0]
        key = str(x.shape).encode() + x.tobytes()
        last, found = self.last
        if last != key:
            found = self.points._batch(self.points._first, shapes[:2], x)
            self.last = (key, found)
        return found[order]


class _Derivatives(torch.autograd.Function):
    """Derivatives of an order, of which the derivative is that of the next one."""

    @staticmethod
    def forward(x: torch.Tensor, points: _Points, order: int) -> torch.Tensor:
        if order > 2:
            raise NotImplementedError("there are no third derivatives of objectives")
        found = points.derivatives(x.detach().cpu().numpy().astype(np.float64), order)
        return torch.as_tensor(found).to(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
        x, ctx.points, ctx.order = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (x,) = ctx.saved_tensors
        slopes = _Derivatives.apply(x, ctx.points, ctx.order + 1)
        inner = tuple(range(x.dim() - 1, slopes.dim() - 1))
        weighted = grad.unsqueeze(-1) * slopes
        return (weighted.sum(inner) if inner else weighted), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: None) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        slopes = _Derivatives.apply(x, ctx.points, ctx.order + 1)
        inner = slopes.dim() - x.dim()
        return (slopes * tangent.reshape(*x.shape[:-1], *(1,) * inner, x.shape[-1])).sum(-1)

    @staticmethod
    def vmap(_: Any, in_dims: tuple, x: torch.Tensor, points: _Points, order: int) -> tuple[torch.Tensor, int]:
        return _Derivatives.apply(x.movedim(in_dims[0], 0), points, order), 0
