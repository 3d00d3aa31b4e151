"""Optimizations and measured data as scenes describe them."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any

Goal = str | Mapping[str, float]
"""The name of an objective, or factors of several by name."""

Variables = str | Iterable[str] | Mapping[str, None | tuple[float, float] | Mapping[str, Any]]
"""Names of parameters; bounds, or the fields ``bounds`` and ``scale``, by name."""

Measured = Mapping[str, str | Mapping[str, Any]]
"""What columns measure, by the name of the column: an output, expression or event, or the fields ``of``, ``sigma`` and ``weight``."""

Fields = Mapping[str, Any]
"""Fields of the scene format by name."""


def optimization(
    minimize: Goal | None,
    over: Variables | None,
    subject_to: Mapping[str, Fields] | None,
    cases: Sequence[Fields] | None,
    options: Fields | None,
    stopping: Fields | None,
) -> list[tuple[str, str]]:
    """The fields of ``optimization`` that are given, each with its text."""
    given = {
        "minimize": None if minimize is None else _goal(minimize),
        "over": None if over is None else _list(_variables(over)),
        "subject_to": None if subject_to is None else _entries(subject_to, _fields),
        "cases": None if cases is None else _list(map(_fields, cases)),
        "options": None if options is None else _fields(options),
        "stopping": None if stopping is None else _fields(stopping),
    }
    return [(name, text) for name, text in given.items() if text is not None]


def fit(
    data: Mapping[str, Iterable[float]] | str | os.PathLike,
    columns: Measured | None,
    events: Measured | None,
    time: str | None,
    sigma: float | str | None,
    weight: float | str | None,
) -> str:
    """A ``Fit`` objective."""
    given = {"data": os.fspath(data) if isinstance(data, (str, os.PathLike)) else _table(data)}
    given |= {name: value for name, value in (("time", time), ("sigma", sigma), ("weight", weight)) if value is not None}
    written = [f"{name}: {_value(value)}" for name, value in given.items()]
    of_columns = {"columns": columns, "events": events}
    written += [f"{name}: {_entries(found, _measured)}" for name, found in of_columns.items() if found is not None]
    return f"Fit({', '.join(written)})"


def _goal(goal: Goal) -> str:
    if isinstance(goal, str):
        return _value(goal)
    return _list(_value((factor, name)) for name, factor in goal.items())


def _variables(over: Variables) -> list[str]:
    if isinstance(over, str):
        return [_value(over)]
    if not isinstance(over, Mapping):
        return [_value(name) for name in over]

    def variable(name: str, found: Any) -> str:
        if found is None:
            return _value(name)
        fields = found if isinstance(found, Mapping) else {"bounds": tuple(found)}
        return _fields({"parameter": name, **fields})

    return [variable(name, found) for name, found in over.items()]


def _measured(found: str | Fields) -> str:
    return _fields(found) if isinstance(found, Mapping) else _value(found)


def _table(data: Mapping[str, Iterable[float]]) -> str:
    """Columns by name as comma-separated text; shorter ones end with empty cells, as do values that are no numbers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(list(data))
    for row in zip_longest(*(data[name] for name in data)):
        cells = [None if cell is None else float(cell) for cell in row]
        writer.writerow(["nan" if cell is None or math.isnan(cell) else repr(cell) for cell in cells])
    return out.getvalue()


# How the format writes values.


def _list(entries: Iterable[str]) -> str:
    return f"[{', '.join(entries)}]"


def _entries(entries: Mapping[str, Any], written: Any) -> str:
    return "{" + ", ".join(f"{_value(name)}: {written(entry)}" for name, entry in entries.items()) + "}"


def _fields(fields: Fields) -> str:
    for name in fields:
        if not name.isidentifier():
            raise TypeError(f"{name!r} is no name of a field")
    return f"({', '.join(f'{name}: {_value(value)}' for name, value in fields.items())})"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Integral):
        return repr(int(value))
    if isinstance(value, Real):
        return "NaN" if math.isnan(value) else repr(float(value))
    if isinstance(value, Mapping):
        return _entries(value, _value)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_value, value))})"
    raise TypeError(f"{value!r} is neither a text nor a number, nor a mapping or tuple of these")
