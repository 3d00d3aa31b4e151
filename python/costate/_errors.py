"""What goes wrong, as exceptions with place and advice."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_ARGUMENTS = {
    "--allow-outside": "allow_outside=True",
    "--certify": "gradient(certify=True)",
    "--formulation nullspace": 'formulation="nullspace"',
    "--from": "start",
    "--out": "path",
    "--set": "parameters",
    "--to": "end",
    "--vary NAME=LOW:HIGH:N": 'vary={"NAME": (LOW, HIGH, N)}',
}
"""Options of the program whose arguments have other names here, with what follows them in advice; the others have the same."""

_COMMAND = r"costate [a-z]+ [A-Z].*"
_KNOWN = "|".join(map(re.escape, _ARGUMENTS))
_OPTION = re.compile(f"{_COMMAND}|`?((?:{_KNOWN})(?![\\w-])|--[a-z][a-z-]*)`?")


def _named_as_here(advice: str) -> str:
    """Advice with arguments in the place of the options of the program; commands stay as they are."""

    def argument(found: re.Match[str]) -> str:
        option = found[1]
        if option is None:
            return found[0]
        return f"`{_ARGUMENTS.get(option, option.removeprefix('--').replace('-', '_'))}`"

    return _OPTION.sub(argument, advice)


class Place(NamedTuple):
    """Where in a scene, or in a file beside it, something is wrong."""

    file: str
    """Name of the file."""
    line: int
    """Line, counted from 1."""
    column: int
    """Byte of the line, counted from 1."""
    text: str
    """The line with its neighbours and numbers, and marks under the place."""


class Error(Exception):
    """Whatever the library refuses or cannot compute; each kind has a subclass.

    The text of the exception has the message, the line of the scene where that is known, and the advice.
    """

    kind: str = ""
    """Kind of the failure in words, such as ``"assembly"`` or ``"step size"``."""

    def __init__(
        self,
        message: str,
        name: str | None = None,
        time: float | None = None,
        value: float | None = None,
        place: tuple | None = None,
        advice: str | None = None,
    ) -> None:
        super().__init__(message, name, time, value, place, advice)
        self.message: str = message
        """What is wrong, with the simulated time, on one line."""
        self.name: str | None = name
        """The element, parameter or objective concerned."""
        self.time: float | None = time
        """Simulated time (s)."""
        self.value: float | None = value
        """The number that is to blame."""
        self.place: Place | None = Place(*place) if place else None
        """Where in the scene."""
        self.advice: str | None = advice
        """What to do about it."""

    def __str__(self) -> str:
        parts = [self.message]
        if self.place:
            parts.append(f"  {self.place.file}:{self.place.line}:{self.place.column}\n{self.place.text}")
        if self.advice:
            parts.append(f"  help: {self.advice}")
        return "\n".join(parts)


class SceneError(Error):
    """The text is no valid scene."""

    kind = "scene"


class FileError(Error):
    """A file cannot be read or written."""

    kind = "file"


class AssemblyError(Error):
    """The joints cannot be closed near the guess, or initial velocities contradict them."""

    kind = "assembly"


class SingularError(Error):
    """A linear system of the dynamics has no unique solution."""

    kind = "singular"


class NotFiniteError(Error):
    """A value that must be finite is not."""

    kind = "not finite"


class StepSizeError(Error):
    """Steps became too small or too many."""

    kind = "step size"


class EventError(Error):
    """An event has no well-defined outcome or derivative: grazing, accumulation, contradictory impacts."""

    kind = "event"


class CertificateError(Error):
    """The certificate of a gradient found a contradiction."""

    kind = "certificate"


class Interrupted(Error):
    """The time that ``max_time`` allows is over."""

    kind = "interrupted"


class GraphicsError(Error):
    """A picture that this package cannot draw."""

    kind = "graphics"


class RequestError(Error):
    """The request cannot be served: an unknown name, a value out of range."""

    kind = "request"


class UsageError(Error):
    """Arguments contradict each other or the scene."""

    kind = "usage"


_KINDS = {cls.kind: cls for cls in Error.__subclasses__()}


def exception(kind: str, *details: Any) -> Error:
    """The exception of a kind, an ``Error`` for a kind without a class; the last of the details is the advice of the program."""
    *known, advice = details
    found = _KINDS.get(kind, Error)(*known, _named_as_here(advice) if advice else None)
    found.kind = kind
    return found
