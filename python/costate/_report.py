"""Reports: the objects that the program writes with ``--json``."""

from __future__ import annotations

import json
from typing import Any


class Report(dict):
    """A report of the program as a dictionary; its fields are attributes as well.

    Names of fields that are names of dictionary methods (``items``) or no identifiers are reached by ``report["name"]`` alone.
    Numbers without a value are ``None``, as in the JSON.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(str(key) for key in self)
            raise AttributeError(f"the report has no field {name!r}; it has {known}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(str(key) for key in self)]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries and lists, of which changes stay apart."""
        return _plain(self)

    def to_json(self, indent: int | None = None) -> str:
        """The same as a text that reads back to the same numbers."""
        return json.dumps(self, indent=indent, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value


def report(value: Any) -> Any:
    """Dictionaries as reports, all the way down."""
    if isinstance(value, dict):
        return Report((key, report(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return [report(entry) for entry in value]
    return value
