"""Derivatives of objectives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import RequestError
from ._report import Report, report


class Gradient:
    """Derivatives of objectives with respect to parameters.

    ``gradient["y", "length"]`` is a derivative, in the unit of the objective over that of the parameter; not a number where there
    is none (``report.no_derivative`` says why).
    """

    def __init__(self, found: dict, objectives: list[str] | None, wrt: list[str] | None) -> None:
        self.report: Report = report(found)
        """The object of ``costate gradient --json``, with the objectives asked for."""
        self.objectives: list[str] = objectives if objectives is not None else list(self.report["objectives"])
        """Names of the objectives, of the rows."""
        self.parameters: list[str] = wrt if wrt is not None else list(self.report["parameters"])
        """Names of the parameters, of the columns."""

    @property
    def values(self) -> np.ndarray:
        """Values of the objectives, of shape ``(m,)``."""
        return np.array([self.report["objectives"][name]["value"] for name in self.objectives], dtype=np.float64)

    @property
    def array(self) -> np.ndarray:
        """The derivatives of shape ``(m, n)``, by objective and parameter."""
        rows = [[self[name, parameter] for parameter in self.parameters] for name in self.objectives]
        return np.array(rows, dtype=np.float64).reshape(len(self.objectives), len(self.parameters))

    def __getitem__(self, pair: tuple[str, str]) -> float:
        objective, parameter = pair
        slope = self.report["objectives"][objective]["gradient"][parameter]
        return float("nan") if slope is None else slope

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries and lists."""
        return self.report.to_dict()

    def to_json(self, indent: int | None = None) -> str:
        """The report as a text."""
        return self.report.to_json(indent)

    def __repr__(self) -> str:
        return f"<Gradient of {len(self.objectives)} objectives by {len(self.parameters)} parameters, {self.report['method']}>"


class Hessian:
    """Second derivatives of objectives: ``hessian["y"]`` has the shape ``(n, n)``, by two of the ``n`` parameters."""

    def __init__(self, found: dict) -> None:
        self.report: Report = report(found)
        """The object ``hessian`` of ``costate gradient --hessian --json``; ``missing`` says which objectives have none, and why,
        ``no_derivative`` by which parameters nothing has any."""

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, of rows and columns."""
        return next((list(rows) for rows in self.report["objectives"].values()), [])

    def __getitem__(self, objective: str) -> np.ndarray:
        reason = self.report["missing"].get(objective)
        if reason is not None:
            raise RequestError(f'"{objective}" has no second derivatives: {reason}', objective)
        rows = self.report["objectives"][objective].values()
        return np.array([list(row.values()) for row in rows], dtype=np.float64)

    def __repr__(self) -> str:
        return f"<Hessian of {len(self.report['objectives'])} objectives>"
