"""Objectives as functions that jax differentiates; needs jax."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

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
) -> Callable[[jax.Array], jax.Array]:
    """Objectives as a function of parameters for jax: an array of shape ``(n,)`` gives one of shape ``(m,)``, and a number where
    ``objectives`` is the name of one.

    ``wrt`` and ``parameters`` are as in ``Scene.objective``. ``grad``, ``jacfwd``, ``jacrev``, ``hessian``, ``jit`` and ``vmap``
    work on it: first derivatives are those of ``Scene.jacobian``, second ones those of ``Scene.hessian``, and there are no third.
    Points of a batch are computed in parallel. A point that fails gives values that are no numbers, and a ``RuntimeWarning`` that
    says why. Numbers have the precision of ``x``: with ``jax.config.update("jax_enable_x64", True)`` that of the simulation.
    """
    points, rows = Pointwise._of(scene, objectives, wrt, parameters, changes)
    n = len(points.parameters)

    @jax.custom_jvp
    def values(x: jax.Array) -> jax.Array:
        return first(x)[0]

    @values.defjvp
    def _(primals: tuple, tangents: tuple) -> tuple:
        found, slopes = first(*primals)
        return found, times(slopes, *tangents)

    @jax.custom_jvp
    def first(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return called(points._first, (rows, (*rows, n)), x)

    @first.defjvp
    def _(primals: tuple, tangents: tuple) -> tuple:
        found, slopes = first(*primals)
        (second,) = called(lambda x: (points._second(x),), ((*rows, n, n),), *primals)
        return (found, slopes), (times(slopes, *tangents), times(second, *tangents))

    def times(slopes: jax.Array, tangent: jax.Array) -> jax.Array:
        return jnp.matmul(slopes, tangent, precision="highest")

    def called(compute: Callable, shapes: tuple, x: jax.Array) -> tuple:
        if x.shape != (n,):
            raise ValueError(f"x has the shape {x.shape}, and there are {n} parameters")
        kind = jnp.result_type(x, float)

        def batch(x: np.ndarray) -> tuple:
            return tuple(part.astype(kind) for part in points._batch(compute, shapes, x))

        wanted = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in shapes)
        return jax.pure_callback(batch, wanted, x, vmap_method="expand_dims")

    return lambda x: values(jnp.asarray(x))
