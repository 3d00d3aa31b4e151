"""What goes wrong, as exceptions with place and advice."""

from __future__ import annotations

from typing import NamedTuple


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


def exception(kind: str, *details: object) -> Error:
    """The exception of a kind; an ``Error`` for a kind without a class."""
    found = _KINDS.get(kind, Error)(*details)
    found.kind = kind
    return found
