"""The result of a simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._report import Report, report

if TYPE_CHECKING:
    import pandas
    import xarray

    from ._scene import Scene


def array(raw: bytes, *shape: int) -> np.ndarray:
    """Bytes of the compiled part as an array of float64, of one's own and writable."""
    found = np.frombuffer(raw, dtype=np.float64).copy()
    return found.reshape(shape) if shape else found


def phases(count: int, starts: list[int]) -> np.ndarray:
    """The number of the phase that each of some times belongs to; ``starts`` has where phases begin."""
    later = [start for start in starts[1:] if start < count]
    return np.cumsum(np.bincount(np.array(later, dtype=np.int64), minlength=count))


def columns(t: np.ndarray, phase: np.ndarray, outputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The columns of a table beside the outputs."""
    found = {"t": t, "phase": phase}
    for name in found:
        if name in outputs:
            raise ValueError(f"an output of the scene is called {name!r}, as a column of the table is: give it another name")
    return found


class Run(Mapping[str, np.ndarray]):
    """A simulated motion: what the program reports of it, and outputs over time as arrays of shape ``(n,)``.

    ``run["y"]`` is the output ``y`` over the times ``run.t``; ``list(run)`` are the names of the outputs.
    """

    def __init__(self, scene: Scene, changes: dict[str, Any], found: dict, recording: dict | None) -> None:
        self.report: Report = report(found)
        """The object of ``costate run --json``."""
        self._scene, self._changes, self._recording, self._dense = scene, changes, recording, None
        self._outputs: dict[str, np.ndarray] = {}
        if recording is not None:
            self._outputs = {name: array(raw) for name, raw in recording["outputs"].items()}

    # What the report has.

    @property
    def objectives(self) -> Report:
        """Objectives by name."""
        return self.report["objectives"]

    @property
    def outputs(self) -> Report:
        """Outputs at the end, by name."""
        return self.report["outputs"]

    @property
    def events(self) -> list[Report]:
        """Events in order, each with ``t`` (s), ``name`` and ``kind``."""
        return self.report["events"]

    @property
    def remarks(self) -> list[str]:
        """What the program would remark."""
        return self.report["remarks"]

    @property
    def energy(self) -> Report:
        """Energy (J): ``initial``, ``final`` and, unless left out, ``balance`` with where it came from and went to."""
        return self.report["energy"]

    @property
    def statistics(self) -> Report:
        """Work: steps, right-hand sides, seconds."""
        return self.report["statistics"]

    # What was recorded.

    @property
    def t(self) -> np.ndarray:
        """Times (s) of shape ``(n,)``: as many equidistant ones as ``samples`` of the scene says, and both sides of every event,
        whose time is there twice."""
        return self._recorded("t")

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Kinetic energy (J) of shape ``(n,)``."""
        return self._recorded("kinetic")

    @property
    def potential_energy(self) -> np.ndarray:
        """Potential energy (J) of weight and springs, of shape ``(n,)``."""
        return self._recorded("potential")

    @property
    def energy_given(self) -> dict[str, np.ndarray]:
        """Energy (J) since the start, each of shape ``(n,)``, that forces beyond what they store and drivers have given to the
        mechanism, and the events of each name; empty where the balance was left out."""
        return {name: array(raw) for name, raw in self._recorded("given").items()}

    @property
    def phase(self) -> np.ndarray:
        """Number of the smooth piece of the motion that each time belongs to, from 0, of shape ``(n,)``: it tells the two sides
        of an event apart."""
        return phases(len(self.t), self._recording["phases"])

    def at(self, t: float | np.ndarray) -> dict[str, Any]:
        """Outputs by name at any times, from the interpolant of the integration, which is as exact as its steps are: of order 7
        for the explicit method. At the time of an event it is the value before.

        ``t`` is a time (s), which gives numbers, or times of any shape, which give arrays of that shape. The first call
        simulates once more, and keeps the interpolants.
        """
        if self._dense is None:
            self._dense = self._scene._inner.dense(self._changes)
        times = np.asarray(t, dtype=np.float64)
        raw = self._dense.outputs(times.ravel().tolist())
        found = {name: array(values, *times.shape) for name, values in zip(self.outputs, raw, strict=True)}
        return {name: float(values[0]) for name, values in found.items()} if times.ndim == 0 else found

    def to_pandas(self) -> pandas.DataFrame:
        """A table with columns ``t``, ``phase`` and one for each output; needs pandas."""
        pandas = needed("pandas")
        return pandas.DataFrame({**self._columns(), **self._outputs})

    def to_xarray(self) -> xarray.Dataset:
        """A data set over the dimension ``t`` with a variable for each output and ``phase`` beside the times; needs xarray."""
        xarray = needed("xarray")
        coordinates = {name: ("t", values) for name, values in self._columns().items()}
        variables = {name: ("t", values) for name, values in self._outputs.items()}
        return xarray.Dataset(variables, coordinates, {"scene": self.report["scene"]})

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries and lists."""
        return self.report.to_dict()

    def to_json(self, indent: int | None = None) -> str:
        """The report as a text."""
        return self.report.to_json(indent)

    def __getitem__(self, name: str) -> np.ndarray:
        self._recorded("t")
        if name not in self._outputs:
            raise KeyError(f"the scene has no output {name!r}; it has {', '.join(self._outputs) or 'none'}")
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        return f"<Run of {self.report['scene']!r} to t = {self.report['t_end']} s, {len(self.events)} events>"

    def _columns(self) -> dict[str, np.ndarray]:
        return columns(self.t, self.phase, self._outputs)

    def _recorded(self, column: str) -> np.ndarray:
        if self._recording is None:
            raise ValueError("nothing was recorded: run with record=True")
        if isinstance(self._recording[column], bytes):
            self._recording[column] = array(self._recording[column])
        return self._recording[column]


def needed(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install {name}") from error
