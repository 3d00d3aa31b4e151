"""Objectives as functions that jax differentiates; needs jax."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._objective import POINTLESS, Pointwise
from ._scene import Scene, Values, _names

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
    names = _names(objectives)
    variables, changed = scene._variables(wrt, parameters, changes)
    points = Pointwise(scene, names, variables, changed)
    n, rows = len(variables), () if isinstance(objectives, str) else (len(names),)

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

        def one(x: np.ndarray) -> tuple:
            try:
                return tuple(map(np.reshape, compute(x), shapes))
            except POINTLESS as error:
                warnings.warn(f"no value at {dict(zip(variables, x.tolist(), strict=True))}: {error}", RuntimeWarning, stacklevel=2)
                return tuple(np.full(shape, np.nan) for shape in shapes)

        def batch(x: np.ndarray) -> tuple:
            x = np.asarray(x, dtype=np.float64)
            with ThreadPoolExecutor() as threads:
                found = list(threads.map(one, x.reshape(-1, n)))
            parts = zip(zip(*found, strict=True), shapes, strict=True)
            return tuple(np.reshape(part, x.shape[:-1] + shape).astype(kind) for part, shape in parts)

        wanted = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in shapes)
        return jax.pure_callback(batch, wanted, x, vmap_method="expand_dims")

    return lambda x: values(jnp.asarray(x))
