"""Multibody mechanisms with impacts, and the exact derivatives of what they do.

>>> import costate
>>> scene = costate.Scene.load("scenes/five_bar.ron")  # doctest: +SKIP
>>> scene.run(k1=120.0).objectives.y2  # doctest: +SKIP
>>> scene.gradient("y2")["y2", "k1"]  # doctest: +SKIP

A :class:`Scene` is read from a file or a text. It runs, is differentiated, optimized, swept over, drawn and written for other
tools; failures are subclasses of :class:`Error`. The format of scenes and the meaning of the reports are described in the
documentation of the program.
"""

from . import _costate
from ._costate import __version__
from ._derivatives import Gradient, Hessian
from ._errors import (
    AssemblyError,
    CertificateError,
    Error,
    EventError,
    FileError,
    GraphicsError,
    Interrupted,
    NotFiniteError,
    Place,
    RequestError,
    SceneError,
    SingularError,
    StepSizeError,
    UsageError,
)
from ._objective import Objective
from ._page import Page
from ._report import Report
from ._run import Run
from ._scene import Optimized, Parameter, Scene
from ._sensitivities import Sensitivities
from ._sweep import sweep

_costate.built_as(_costate.__file__)

__all__ = [
    "AssemblyError",
    "CertificateError",
    "Error",
    "EventError",
    "FileError",
    "Gradient",
    "GraphicsError",
    "Hessian",
    "Interrupted",
    "NotFiniteError",
    "Objective",
    "Optimized",
    "Page",
    "Parameter",
    "Place",
    "Report",
    "RequestError",
    "Run",
    "Scene",
    "SceneError",
    "Sensitivities",
    "SingularError",
    "StepSizeError",
    "UsageError",
    "__version__",
    "sweep",
]
