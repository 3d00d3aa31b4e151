"""Scenes, and what is computed of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _arguments as given
from . import _costate
from . import _described as described
from ._arguments import Values
from ._derivatives import Gradient, Hessian
from ._described import Fields, Goal, Measured, Variables
from ._errors import RequestError, UsageError
from ._objective import Objective
from ._page import Page
from ._report import Report, report
from ._run import Run, array
from ._sensitivities import Sensitivities
from ._starts import known_points


@dataclass(frozen=True)
class Parameter:
    """A named number of a scene."""

    name: str
    """Its name."""
    value: float | None
    """Its value; none for a constant that is an expression."""
    unit: str
    """Its unit, as the scene says it; empty where it says none."""
    lower: float | None
    """Least sensible value."""
    upper: float | None
    """Greatest sensible value."""
    about: str
    """What it is."""
    constant: bool
    """Whether it is a constant: it can be set, but nothing is differentiated by it."""


class Scene:
    """A mechanism and what is asked of it, read from the text of a scene file and compiled.

    A scene never changes. Calls take other values of parameters by keyword, or in ``parameters={..}`` for names that are no
    identifiers, and these options of the program:

    - ``rtol``, ``atol``: relative and absolute tolerance of a step
    - ``duration``: simulated time (s)
    - ``formulation``: ``"nullspace"``, ``"multipliers"``, ``"penalty"``, ``"stabilized"`` or ``"index3"``
    - ``case``: load case of the optimization
    - ``max_time``: most time (s) that the call may compute, by the clock; then it raises ``Interrupted``
    - ``memory``: most bytes that the recording of a motion may take for its gradient by the adjoint

    A parameter with the name of an option is set by ``parameters={..}`` alone. While anything is computed other threads of Python
    go on, and Ctrl-C ends it.

    Scenes can be pickled. The pickle has the text, and for tables, meshes and robots beside the scene the path of its folder:
    they are read again, and ``FileError`` names one that is gone.
    """

    __slots__ = ("_details", "_inner", "__weakref__")

    def __init__(
        self, text: str, name: str = "scene.ron", folder: str | os.PathLike | None = None, *, allow_outside: bool = False
    ) -> None:
        """Reads the text of a scene.

        ``name`` is what messages call it, ``folder`` where the files are that it names, ``allow_outside`` whether they may lie
        outside of that. Raises ``SceneError`` with the place of a mistake.
        """
        file = os.path.join(os.fspath(folder), name) if folder is not None else name
        self._take(_costate.Scene(file, text, allow_outside))

    @classmethod
    def load(cls, path: str | os.PathLike, *, allow_outside: bool = False) -> Scene:
        """Reads a scene file, and the tables, meshes and robots that it names: from its folder, unless ``allow_outside``."""
        scene = cls.__new__(cls)
        scene._take(_costate.Scene.load(os.fspath(path), allow_outside))
        return scene

    def _take(self, inner: _costate.Scene) -> None:
        self._inner = inner
        self._details = report(inner.details())

    def __reduce__(self) -> tuple:
        file, text, allow_outside, inputs = self._inner.origin()
        # Files are read again from wherever the pickle is opened.
        file = os.path.abspath(file) if len(inputs) > 1 else file
        return _unpickled, (file, text, allow_outside)

    # What it is.

    @property
    def name(self) -> str:
        """Name of the scene."""
        return self._details["name"]

    @property
    def about(self) -> str:
        """What the scene says about itself."""
        return self._details["about"]

    @property
    def text(self) -> str:
        """Text of the scene."""
        return self._inner.origin()[1]

    @property
    def files(self) -> list[str]:
        """The files that it was read from, its own first."""
        return self._inner.origin()[3]

    @property
    def start(self) -> float:
        """Time at the start (s)."""
        return self._details["start"]

    @property
    def end(self) -> float:
        """Time at the end (s)."""
        return self._details["end"]

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters by name in the order of the scene, then constants."""
        found = self._details["parameters"]
        return MappingProxyType({name: Parameter(name, **fields) for name, fields in found.items()})

    @property
    def outputs(self) -> Mapping[str, str]:
        """Outputs by name, each with its expression."""
        return MappingProxyType(self._details["outputs"])

    @property
    def objectives(self) -> Mapping[str, str | None]:
        """Objectives by name, each as it is written in the scene; none where the text has no single place of it."""
        return MappingProxyType(self._details["objectives"])

    def __repr__(self) -> str:
        return f"<Scene {self.name!r}>"

    # What is computed of it.

    def run(
        self, *, record: bool = True, balance: bool = True, parameters: Values | None = None, **changes: Any
    ) -> Run:
        """Simulates.

        ``record`` keeps outputs and energy over time; ``balance`` adds where energy came from and went to, as the program does,
        for which powers are integrated with the motion. Raises a subclass of ``Error``, see there.
        """
        changed = given.changed(parameters, changes)
        return Run(self, changed, *self._inner.run(changed, record, balance))

    def gradient(
        self,
        objectives: str | Iterable[str] | None = None,
        wrt: str | Iterable[str] | None = None,
        method: str = "adjoint",
        *,
        certify: bool = False,
        parameters: Values | str | Iterable[str] | None = None,
        **changes: Any,
    ) -> Gradient:
        """Differentiates objectives with respect to parameters, both by name; all of them when left out.

        The names of the parameters may be given as ``parameters``, too, which else has values.
        ``method`` is ``"adjoint"``, ``"forward"`` or ``"finite-difference"``; ``certify`` holds the methods against each other.
        Fewer objectives take less time by the adjoint. Where events at one instant part the derivatives, those of both sides are
        in ``report.one_sided``.
        """
        names = given.names(objectives)
        wrt, parameters = given.split(wrt, parameters)
        columns = given.names(wrt)
        _refuse_unknown(columns or [], self._differentiated())
        found = self._inner.gradient(given.changed(parameters, changes), names, method, (certify, False))
        return Gradient(found, names, columns)

    def sensitivities(
        self,
        wrt: str | Iterable[str] | None = None,
        *,
        side: str | None = None,
        parameters: Values | str | Iterable[str] | None = None,
        **changes: Any,
    ) -> Sensitivities:
        """Derivatives of all outputs over time, and of the times of events, by the forward method.

        ``wrt`` are the names of the parameters, which may be given as ``parameters`` too; all by which there are derivatives when
        left out. Where events at one instant part the derivatives, ``side``, which is ``"below"`` or ``"above"``, says on which side
        of the one parameter in ``wrt`` they are taken, and without it that is an ``EventError``.
        """
        wrt, parameters = given.split(wrt, parameters)
        names = given.names(wrt)
        _refuse_unknown(names or [], self._differentiated())
        if side is not None and (names is None or len(names) != 1):
            raise TypeError("a side is that of one parameter: give its name as wrt")
        one_sided = (names[0], side) if names and side else None
        found = _costate.sensitivities(self._inner, given.changed(parameters, changes), one_sided)
        for name in names or []:
            if name not in found["parameters"]:
                message = f'outputs have no derivatives by "{name}"'
                raise RequestError(message, name, advice="no_derivative in the report of scene.gradient() says why")
        return Sensitivities(self.name, found, names)

    def objective(
        self,
        objective: str | Mapping[str, float],
        wrt: str | Iterable[str] | None = None,
        *,
        parameters: Values | str | Iterable[str] | None = None,
        **changes: Any,
    ) -> Objective:
        """An objective, or a sum of objectives with factors, as a function of parameters, for ``scipy.optimize`` and its like.

        ``wrt`` are the names of the parameters, in the order of ``x``, which may be given as ``parameters`` too; all that are no
        constants when left out. Each call is a simulation and its adjoint.
        """
        weights = {objective: 1.0} if isinstance(objective, str) else objective
        return Objective(self, weights, *self._variables(wrt, parameters, changes))

    def hessian(self, *, parameters: Values | None = None, **changes: Any) -> Hessian:
        """Second derivatives of all objectives with respect to all pairs of parameters."""
        return Hessian(self._inner.hessian(given.changed(parameters, changes)))

    def check(self, *, parameters: Values | None = None, **changes: Any) -> Report:
        """Assembles the mechanism: the object of ``costate check --json``, with degrees of freedom, redundant joints and what each
        parameter touches."""
        return report(self._inner.check(given.changed(parameters, changes)))

    def with_optimization(
        self,
        minimize: Goal | None = None,
        over: Variables | None = None,
        *,
        subject_to: Mapping[str, Fields] | None = None,
        cases: Sequence[Fields] | None = None,
        options: Fields | None = None,
        stopping: Fields | None = None,
    ) -> Scene:
        """The scene with another optimization, in its ``text`` too, which the program reads; fields that are left out stay as the
        scene has them.

        ``minimize`` is the name of an objective, or factors by the names of several. ``over`` are the names of the parameters
        that are varied, or for each name its ``(low, high)``, the fields ``{"bounds": (low, high), "scale": 0.1}``, or ``None`` for
        what the scene says of it. ``subject_to`` has limits by the names of objectives, such as ``{"energy": {"at_most": 30}}``;
        ``cases`` is a list of load cases, each with the fields ``name``, ``set`` and ``weight``; ``options`` and ``stopping`` have
        fields such as ``{"max_iterations": 50}``. All of them mean what they mean in scene files.

        Raises ``SceneError`` for what would be a mistake there, such as unknown names.
        """
        fields = described.optimization(minimize, over, subject_to, cases, options, stopping)
        return self._described(None, fields)

    def with_fit(
        self,
        data: Mapping[str, Iterable[float]] | str | os.PathLike,
        columns: Measured | None = None,
        *,
        events: Measured | None = None,
        time: str | None = None,
        sigma: float | str | None = None,
        weight: float | str | None = None,
        name: str = "fit",
    ) -> Scene:
        """The scene with one more objective, called ``name``: the weighted sum of squared differences from measured data.

        ``data`` has columns by name: arrays of shape ``(n,)`` in a mapping, a ``pandas.DataFrame``, or the path of a table in the
        folder of the scene. Shorter columns, and values that are no numbers, are taken as not measured. ``columns`` says which
        output or expression a column measures at the times (s) of the column ``time``, ``"t"`` when left out, and ``events`` which
        contact or event occurred at the times in a column: by the name of the column, a text, or the fields ``of``, ``sigma`` and
        ``weight``. Without both, all columns are named as outputs. ``sigma`` is the standard deviation of the values or the name
        of a column, ``weight`` instead of it their weight.
        """
        if name in self.objectives:
            message = f'the scene has an objective "{name}" already'
            raise UsageError(message, name, advice="give the new one a name of its own, as name=\"..\"")
        return self._described((name, described.fit(data, columns, events, time, sigma, weight)), [])

    def _described(self, objective: tuple[str, str] | None, optimization: list[tuple[str, str]]) -> Scene:
        scene = Scene.__new__(Scene)
        scene._take(_costate.described(self._inner, objective, optimization))
        return scene

    def optimize(
        self,
        minimize: Goal | None = None,
        over: Variables | None = None,
        *,
        subject_to: Mapping[str, Fields] | None = None,
        cases: Sequence[Fields] | None = None,
        options: Fields | None = None,
        stopping: Fields | None = None,
        solver: str | None = None,
        starts: int | None = None,
        seed: int | None = None,
        executor: Executor | Callable[[], Executor] | None = None,
        parameters: Values | None = None,
        **changes: Any,
    ) -> Optimized:
        """Makes a goal small, fits to measured data among them: as the part ``optimization`` of the scene says, and as ``minimize``,
        ``over``, ``subject_to``, ``cases``, ``options`` and ``stopping`` say, which are those of :meth:`with_optimization`.

        ``solver`` is ``"lbfgs"``, ``"bfgs"``, ``"conjugate-gradients"``, ``"lbfgs-b"``, ``"slsqp"``, ``"nelder-mead"``,
        ``"gauss-newton"`` or ``"particle-swarm"``; ``starts`` the number of starts within the bounds, in parallel; ``seed`` draws
        them. When ``max_time`` is over, the result is the best point so far with the status ``"interrupted"``.

        ``executor`` is any executor of ``concurrent.futures``, or a function that makes one, as for :func:`costate.sweep`: its
        workers compute the starts, one each. The result is the same to the last bit.
        """
        fields = described.optimization(minimize, over, subject_to, cases, options, stopping)
        if fields:
            scene = self._described(None, fields)
            given_here = {"solver": solver, "starts": starts, "seed": seed, "executor": executor}
            return scene.optimize(**given_here, parameters=parameters, **changes)
        clock = time.perf_counter()
        changed, wanted, known = given.changed(parameters, changes), (solver, starts, seed), []
        if executor is not None:
            known, changed = known_points(self, changed, wanted, executor)
        found, text = self._inner.optimize(changed, wanted, known)
        if executor is not None:
            found["statistics"]["seconds"] = time.perf_counter() - clock
        result = Optimized((key, report(entry)) for key, entry in found.items())
        file, _, allow_outside, _ = self._inner.origin()
        result._origin = (file, text, allow_outside)
        return result

    def fit(
        self,
        data: Mapping[str, Iterable[float]] | str | os.PathLike | None = None,
        columns: Measured | None = None,
        over: Variables | None = None,
        *,
        events: Measured | None = None,
        time: str | None = None,
        sigma: float | str | None = None,
        weight: float | str | None = None,
        name: str = "fit",
        solver: str = "gauss-newton",
        **more: Any,
    ) -> Optimized:
        """As :meth:`optimize`, by default with Gauss-Newton steps, for a scene whose goal is measured data; ``fit`` of the result has
        standard errors, correlations and what the data cannot tell.

        ``data``, ``columns``, ``events``, ``time``, ``sigma``, ``weight`` and ``name`` are those of :meth:`with_fit`, and make the goal; when
        ``data`` is left out, it is that of the scene. ``over`` are the parameters, and ``more`` whatever ``optimize`` takes.
        """
        if data is None:
            if any(found is not None for found in (columns, events, time, sigma, weight)):
                raise TypeError("what columns measure is given, but no data")
            return self.optimize(over=over, solver=solver, **more)
        scene = self.with_fit(data, columns, events=events, time=time, sigma=sigma, weight=weight, name=name)
        return scene.optimize(**{"minimize": name, **more}, over=over, solver=solver)

    def sweep(
        self,
        vary: Mapping[str, Sequence[float]] | Sequence[Values],
        *,
        sample: int | None = None,
        seed: int = 0,
        gradient: bool = False,
        threads: int | None = None,
        out: str | os.PathLike | None = None,
        parameters: Values | None = None,
        **changes: Any,
    ) -> Report:
        """Objectives over many points, in parallel: the object of ``costate sweep --json``. A point that fails is a row with a
        status other than ``"ok"`` and a reason.

        ``vary`` has for each parameter ``(low, high, count)``, of which all combinations are taken, or with ``sample`` points at
        random (a Latin hypercube) ``(low, high)``; or it is a list of points, each with values of the same parameters by name.
        ``gradient`` adds derivatives by the varied parameters. ``out`` is a folder in which rows are kept as they come, in the
        table ``sweep.csv`` of ``costate sweep --out``: the same call goes on where it was interrupted.
        """
        changed = given.changed(parameters, changes)
        swept = self._sweep(changed, given.points_beside(changed, vary, sample, seed), gradient, out)
        try:
            swept.compute(threads)
            return report(swept.report())
        finally:
            swept.close()

    def _sweep(
        self, changed: dict[str, Any], places: tuple[list, Any], gradient: bool, out: str | os.PathLike | None = None
    ) -> _costate.Sweep:
        return _costate.Sweep(self._inner, changed, *places, gradient, None if out is None else os.fspath(out))

    def render(
        self,
        path: str | os.PathLike,
        *,
        at: float | Iterable[float] = (),
        width: float = 120.0,
        style: str = "colour",
        labels: bool = False,
        traces: bool = False,
        frames: bool = False,
        arrows: str | Iterable[str] = (),
        gradient: str | None = None,
        zoom: float = 1.0,
        centre: tuple[float, float] | None = None,
        fps: float | None = None,
        speed: float | None = None,
        vary: Mapping[str, Iterable[float]] | None = None,
        compare: Values | str | os.PathLike | None = None,
        parameters: Values | None = None,
        **changes: Any,
    ) -> None:
        """Draws a planar mechanism as ``.svg`` or ``.pdf``.

        ``at`` is the time (s), the start when left out; of several the last is drawn in full, those before it paler. ``width`` is
        in millimetres; ``style`` is ``"colour"`` or ``"paper"``; ``labels`` writes names, ``traces`` draws paths of points,
        ``frames`` the axes of bodies, ``arrows`` the ``"velocities"``, ``"accelerations"``, forces of ``"springs"``, ``"reactions"`` and
        ``"contacts"``, and ``gradient`` gives bars, springs, masses and contacts colours by the derivatives of this objective;
        ``zoom`` and ``centre`` (m) show a part. With ``fps``, pictures a second, or ``speed``, simulated seconds a second, an ``.svg``
        plays the whole motion over and over. Behind the motion of the scene come, with a legend, those of ``vary``, other values of
        one parameter such as ``{"L01": [2.0, 2.4]}``, or that of ``compare``: values of several parameters, or the file of another
        scene. Pictures of pixels are for the program, which has the viewer: ``GraphicsError``.
        """
        shown = {
            "at": [float(at)] if np.ndim(at) == 0 else [float(t) for t in at],
            "width": width,
            "style": style,
            "labels": labels,
            "traces": traces,
            "frames": frames,
            "arrows": given.names(arrows) or [],
            "gradient": gradient,
            "zoom": zoom,
            "centre": list(map(float, centre)) if centre is not None else None,
            "fps": fps,
            "speed": speed,
        }
        beside = given.beside(vary, compare)
        _costate.render(self._inner, given.changed(parameters, changes), os.fspath(path), shown, beside)

    def export(
        self,
        path: str | os.PathLike,
        *,
        fps: float = 60.0,
        speed: float | None = None,
        start: float | None = None,
        end: float | None = None,
        parameters: Values | None = None,
        **changes: Any,
    ) -> Report:
        """Writes the motion as a page for browsers (``.html``), or for other tools: ``.glb`` (animated glTF), ``.csv`` (poses) or
        ``.pvd`` (ParaView).

        ``fps`` states a second besides those at events; ``speed`` simulated seconds per second of an animation, 1 when left out,
        while a page chooses then; from ``start`` to ``end`` (s). The result has ``states`` and ``files``.
        """
        changed = given.changed(parameters, changes)
        return report(_costate.export(self._inner, changed, os.fspath(path), (fps, speed), (start, end)))

    def page(
        self,
        *,
        fps: float = 60.0,
        speed: float | None = None,
        start: float | None = None,
        end: float | None = None,
        height: int = 720,
        parameters: Values | None = None,
        **changes: Any,
    ) -> Page:
        """The motion as a page, which a notebook shows: with outputs, events, gradients, and sliders that predict the motion.

        Simulates with derivatives by the first 24 parameters. Arguments as of :meth:`export`; ``height`` in a notebook, in pixels.
        """
        changed = given.changed(parameters, changes)
        return Page(_costate.page(self._inner, changed, (fps, speed), (start, end)), height)

    def report(
        self,
        path: str | os.PathLike,
        *,
        without: str | Iterable[str] = (),
        vary: Mapping[str, Sequence[float]] | Sequence[Values] | None = None,
        sample: int | None = None,
        seed: int = 0,
        starts: int | None = None,
        fps: float = 60.0,
        parameters: Values | None = None,
        **changes: Any,
    ) -> Report:
        """Writes one page for browsers (``.html``) with everything that is computed of the scene, as ``costate report`` does: the
        motion of :meth:`page`, and sections with the run, the certificate of its derivatives, the optimization that the scene
        describes, and a sweep over ``vary``.

        ``without`` names parts that are left out: ``"run"``, ``"gradient"``, ``"certificate"``, ``"optimization"``, ``"sweep"``.
        ``vary``, ``sample`` and ``seed`` are as in :meth:`sweep`, ``starts`` as in :meth:`optimize`; ``fps`` is the number of states
        a second. The result is the object of ``costate report --json``: a part that cannot be computed raises nothing, but has in
        ``sections`` the status ``"failed"`` with a ``reason``, which stands on the page, too.
        """
        changed = given.changed(parameters, changes)
        parts = {"without": given.names(without), "points": None, "starts": starts, "fps": fps}
        if vary is not None:
            parts["points"] = given.points_beside(changed, vary, sample, seed)
        elif sample is not None:
            raise TypeError("a sample needs vary, the ranges to draw from")
        return report(_costate.report(self._inner, changed, os.fspath(path), parts))

    def jacobian(
        self, objectives: str | Iterable[str], wrt: str | Iterable[str], *, parameters: Values | None = None, **changes: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values of shape ``(m,)`` of ``m`` objectives, and their derivatives of shape ``(m, n)`` by ``n`` parameters, by the adjoint.

        Raises ``EventError`` or ``AssemblyError`` where one of these derivatives does not exist.
        """
        rows, columns = given.names(objectives), given.names(wrt)
        _refuse_unknown(columns, self._differentiated())
        values, slopes = _costate.jacobian(self._inner, given.changed(parameters, changes), rows, columns)
        return array(values), array(slopes, len(rows), len(columns))

    def _variables(self, wrt: Any, parameters: Any, changes: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Names of the parameters that functions are of, all when left out, and what else a call changes."""
        wrt, parameters = given.split(wrt, parameters)
        known = self._differentiated()
        names = known if wrt is None else given.names(wrt)
        _refuse_unknown(names, known)
        changed = given.changed(parameters, changes)
        return names, {**changed, "parameters": dict(changed["parameters"])}

    def _differentiated(self) -> list[str]:
        """Names of the parameters that derivatives are taken by."""
        return [name for name, found in self.parameters.items() if not found.constant]


class Optimized(Report):
    """The object of ``costate optimize --json``: ``final.parameters`` has what was found, ``status`` says why it ended."""

    _origin: tuple

    @property
    def scene(self) -> Scene:
        """The scene with the values that were found; ``scene.text`` to write it."""
        return _unpickled(*self._origin)


def _unpickled(file: str, text: str, allow_outside: bool) -> Scene:
    return Scene(text, file, allow_outside=allow_outside)


def _refuse_unknown(names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            message = f'nothing is differentiated by "{name}"'
            raise UsageError(message, name, advice=f"the parameters are {', '.join(known)}")
