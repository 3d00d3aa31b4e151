"""Objectives as functions of parameters, for optimizers of other libraries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import AssemblyError, Error, EventError, NotFiniteError, RequestError, SingularError, StepSizeError

if TYPE_CHECKING:
    from ._scene import Scene

POINTLESS = (AssemblyError, EventError, NotFiniteError, RequestError, SingularError, StepSizeError)
"""What a point without a value raises; what is wrong whatever the point is found out before the first."""


class Pointwise:
    """Objectives of a scene at points: values of some of its parameters in an order."""

    def __init__(self, scene: Scene, objectives: list[str], parameters: list[str], changes: dict[str, Any]) -> None:
        self.parameters: list[str] = parameters
        """Names of the parameters, of the entries of ``x``."""
        self._scene, self._objectives, self._changes = scene, objectives, changes
        scene._inner.prepare({**changes, "parameters": list(changes["parameters"].items())}, objectives)
        known, given = scene.parameters, changes["parameters"]
        self.x0: np.ndarray = np.array([given.get(name, known[name].value) for name in parameters], dtype=np.float64)
        """Values of the parameters in the scene, of shape ``(n,)``."""
        self.bounds: list[tuple[float | None, float | None]] = [(known[name].lower, known[name].upper) for name in parameters]
        """Lower and upper bound of each parameter; none where the scene has none."""

    @classmethod
    def _of(
        cls, scene: Scene, objectives: str | Iterable[str], wrt: Any, parameters: Any, changes: dict[str, Any]
    ) -> tuple[Pointwise, tuple[int, ...]]:
        """The points of a function for other libraries, and the shape of its values: a number for the name of one objective."""
        names = [objectives] if isinstance(objectives, str) else list(objectives)
        variables, changed = scene._variables(wrt, parameters, changes)
        return cls(scene, names, variables, changed), () if isinstance(objectives, str) else (len(names),)

    def _first(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values of shape ``(m,)`` and derivatives of shape ``(m, n)``."""
        return self._scene.jacobian(self._objectives, self.parameters, **self._changed(x))

    def _second(self, x: np.ndarray) -> np.ndarray:
        """Second derivatives of shape ``(m, n, n)``."""
        found = self._scene.hessian(**self._changed(x))
        rows = [found[name] for name in self._objectives]
        places = [found.parameters.index(name) for name in self.parameters]
        return np.array([row[np.ix_(places, places)] for row in rows])

    def _batch(self, compute: Callable, shapes: tuple[tuple[int, ...], ...], x: np.ndarray) -> list[np.ndarray]:
        """What ``compute`` gives at points ``x`` of shape ``(..., n)``, in parallel: arrays of the leading shape of ``x`` and then of
        ``shapes``. A point that fails gives no numbers, and a warning that says why."""

        def one(x: np.ndarray) -> tuple[np.ndarray, ...]:
            try:
                return tuple(map(np.reshape, compute(x), shapes))
            except POINTLESS as error:
                place = dict(zip(self.parameters, x.tolist(), strict=True))
                warnings.warn(f"no value at {place}: {error}", RuntimeWarning, stacklevel=2)
                return tuple(np.full(shape, np.nan) for shape in shapes)

        x = np.asarray(x, dtype=np.float64)
        with ThreadPoolExecutor() as threads:
            found = list(threads.map(one, x.reshape(-1, len(self.parameters))))
        parts = zip(*found, strict=True) if found else ([] for _ in shapes)
        return [np.reshape(part, x.shape[:-1] + shape) for part, shape in zip(parts, shapes, strict=True)]

    def _changed(self, x: np.ndarray) -> dict[str, Any]:
        own = dict(zip(self.parameters, x.tolist(), strict=True))
        return {**self._changes, "parameters": {**self._changes["parameters"], **own}}


class Objective(Pointwise):
    """A weighted sum of objectives of a scene as a function of some of its parameters: ``f(x)`` is the value and its gradient.

    ``scipy.optimize.minimize(f, f.x0, jac=True, bounds=f.bounds)`` makes it small. A point that fails, such as a linkage that does
    not close, has the value infinity and the gradient zero, and is kept in ``failures``.
    """

    def __init__(
        self, scene: Scene, weights: Mapping[str, float], parameters: list[str], changes: dict[str, Any]
    ) -> None:
        super().__init__(scene, list(weights), parameters, changes)
        self.weights: dict[str, float] = dict(weights)
        """Factors of the objectives by name."""
        self.failures: list[tuple[np.ndarray, Error]] = []
        """Points without a value, each with the reason."""

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Value, and gradient of shape ``(n,)``, at ``x`` of shape ``(n,)``."""
        x = np.asarray(x, dtype=np.float64)
        if x.shape != self.x0.shape:
            raise ValueError(f"x has the shape {x.shape}, and there are {len(self.parameters)} parameters")
        try:
            values, slopes = self._first(x)
        except POINTLESS as error:
            self.failures.append((x.copy(), error))
            return float("inf"), np.zeros_like(x)
        factors = np.array(list(self.weights.values()))
        return float(factors @ values), factors @ slopes

    def __repr__(self) -> str:
        sums = " + ".join(f"{factor:g} {name}" for name, factor in self.weights.items())
        return f"<Objective {sums} of {len(self.parameters)} parameters>"
