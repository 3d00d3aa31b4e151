"""Derivatives of outputs over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._report import Report, report
from ._run import array, columns, needed, phases

if TYPE_CHECKING:
    import pandas
    import xarray


class Sensitivities(Mapping[str, np.ndarray]):
    """Derivatives of the outputs of a motion by parameters, over time and at fixed times.

    ``found["y"]`` has the shape ``(n, p)``, over the times ``found.t`` and by ``found.parameters``, in the unit of the output over that
    of the parameter; ``found["y", "k1"]`` is the column of one of them. ``list(found)`` are the names of the outputs.
    """

    def __init__(self, scene: str, found: dict, wrt: Sequence[str] | None) -> None:
        self.scene: str = scene
        """Name of the scene."""
        known = found["parameters"]
        self.parameters: list[str] = list(known if wrt is None else wrt)
        """Names of the parameters."""
        self.t: np.ndarray = array(found["t"])
        """Times (s) of shape ``(n,)``, those of a run: the time of an event is there twice, before and after it."""
        self.phase: np.ndarray = phases(len(self.t), found["phases"])
        """Number of the smooth piece of the motion that each time belongs to, from 0, of shape ``(n,)``."""
        self.outputs: dict[str, np.ndarray] = {name: array(raw) for name, raw in found["outputs"].items()}
        """The outputs themselves by name, each of shape ``(n,)``."""
        self.events: list[Report] = [report(event) for event in found["events"]]
        """Events in order, each with ``t`` (s), ``name`` and ``kind``."""
        places = [known.index(name) for name in self.parameters]
        self.event_times: np.ndarray = array(found["event_slopes"], len(self.events), len(known))[:, places]
        """Derivatives of the times of the events, of shape ``(events, p)``, in seconds over the unit of the parameter."""
        slopes = found["slopes"].items()
        self._slopes = {name: array(raw, len(known), len(self.t))[places].T for name, raw in slopes}

    def __getitem__(self, key: str | tuple[str, str]) -> np.ndarray:
        output, parameter = (key, None) if isinstance(key, str) else key
        slopes = self._slopes[output]
        return slopes if parameter is None else slopes[:, self.parameters.index(parameter)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slopes)

    def __len__(self) -> int:
        return len(self._slopes)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with columns ``t`` and ``phase``, and for each output its values, ``y``, and its derivatives, ``d(y)/d(k1)``, as the
        program calls them; needs pandas."""
        pandas = needed("pandas")
        found: dict[str, Any] = columns(self.t, self.phase, self.outputs)
        for name, values in self.outputs.items():
            found[name] = values
            found |= {f"d({name})/d({parameter})": self[name, parameter] for parameter in self.parameters}
        return pandas.DataFrame(found)

    def to_xarray(self) -> xarray.Dataset:
        """A data set over the dimensions ``t`` and ``parameter``, with the derivatives of each output under its name and ``phase``
        beside the times; needs xarray."""
        xarray = needed("xarray")
        coordinates = {name: ("t", values) for name, values in columns(self.t, self.phase, self.outputs).items()}
        coordinates["parameter"] = ("parameter", self.parameters)
        variables = {name: (("t", "parameter"), slopes) for name, slopes in self._slopes.items()}
        return xarray.Dataset(variables, coordinates, {"scene": self.scene})

    def __repr__(self) -> str:
        return f"<Sensitivities of {len(self)} outputs by {len(self.parameters)} parameters at {len(self.t)} times>"
