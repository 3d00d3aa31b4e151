"""Arguments of calls as the compiled part takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Values = Mapping[str, float]

OPTIONS = ("rtol", "atol", "duration", "formulation", "case", "max_time", "memory")


def changed(parameters: Values | None, changes: dict[str, Any]) -> dict[str, Any]:
    """The options of a call, and everything else that it gives as values of parameters."""
    changed: dict[str, Any] = {option: changes.pop(option, None) for option in OPTIONS}
    twice = sorted(set(changes) & set(parameters or {}))
    if twice:
        raise TypeError(f"given by keyword and in parameters as well: {', '.join(twice)}")
    values = {**changes, **(parameters or {})}
    changed["parameters"] = [(name, float(value)) for name, value in values.items()]
    return changed


def beside(
    vary: Mapping[str, Iterable[float]] | None, compare: Values | str | os.PathLike | None
) -> list[list[tuple[str, float]]] | str:
    """The motions beside that of a scene: lists of values, or a file."""
    if vary is not None and compare is not None:
        raise TypeError("vary and compare are given: only one of them can be drawn")
    if vary is not None:
        if len(vary) != 1:
            raise TypeError(f"vary takes the values of one parameter, and {len(vary)} are given: compare takes several")
        return [[(name, float(value))] for name, values in vary.items() for value in values]
    if compare is None:
        return []
    if isinstance(compare, Mapping):
        return [[(name, float(value)) for name, value in compare.items()]]
    return os.fspath(compare)


def split(wrt: Any, parameters: Any) -> tuple[Any, Any]:
    """Names of parameters, which may be given as ``parameters``, and values."""
    if parameters is None or isinstance(parameters, Mapping):
        return wrt, parameters
    if wrt is not None:
        raise TypeError("names of parameters are given twice, as wrt and as parameters")
    return parameters, None


def names(names: str | Iterable[str] | None) -> list[str] | None:
    """A list of names where one name may be given alone."""
    return [names] if isinstance(names, str) else None if names is None else list(names)


def points(vary: Any, sample: int | None, seed: int) -> tuple[list[tuple[str, float, float]], Any]:
    """The ranges of a sweep and how points lie in them."""
    if not isinstance(vary, Mapping):
        if sample is not None:
            raise TypeError("either points or a sample, not both")
        if not vary:
            raise ValueError("the sweep has no points")
        names = list(vary[0])
        if any(list(point) != names for point in vary):
            raise ValueError("every point of a sweep has values of the same parameters in the same order")
        return [(name, 0.0, 0.0) for name in names], [[float(point[name]) for name in names] for point in vary]
    wanted = 2 if sample is not None else 3
    for name, given in vary.items():
        if len(given) != wanted:
            form = "(low, high)" if sample is not None else "(low, high, count)"
            raise ValueError(f"the range of {name!r} is {tuple(given)!r}; it must be {form}")
    ranges = [(name, float(given[0]), float(given[1])) for name, given in vary.items()]
    return ranges, (sample, seed) if sample is not None else [given[2] for given in vary.values()]


def points_beside(changed: dict[str, Any], vary: Any, sample: int | None, seed: int) -> tuple[list[tuple], Any]:
    """The same, beside values that a call gives."""
    ranges, places = points(vary, sample, seed)
    twice = {name for name, _, _ in ranges} & {name for name, _ in changed["parameters"]}
    if twice:
        raise TypeError(f"varied and given one value as well: {', '.join(sorted(twice))}")
    return ranges, places
