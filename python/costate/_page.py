"""The motion as a page for browsers and notebooks."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Page:
    """A page that plays a motion, with outputs, gradients and predictions: one file that asks no host for anything.

    At the end of a cell a notebook shows it.
    """

    html: str
    """The whole page."""
    height: int = 720
    """Its height in a notebook, in pixels."""

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page into a file; ``scene.export("motion.html")`` does so at once."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A frame of its own: its styles and keys are not those of the notebook.
        content = html.escape(self.html, quote=True)
        return (
            f'<iframe title="motion" srcdoc="{content}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Page of {len(self.html)} characters"
