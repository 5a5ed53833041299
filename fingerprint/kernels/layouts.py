"""The layouts of arguments and results of kernels, without numba; the library keeps them as JSON."""

from __future__ import annotations

from typing import NamedTuple

Json = str | list["Json"]


class Array(NamedTuple):
    """A C-contiguous array of one dtype."""

    dtype: str
    dimensions: int


class Parts(NamedTuple):
    """A tuple; `python_class` is its class where it is a named tuple and its kernel is being compiled."""

    of: tuple[Layout, ...]
    python_class: type | None = None


# A scalar is the name of its dtype; `none` is no result.
Layout = str | Array | Parts


def to_json(layout: Layout) -> Json:
    """Return what `from_json` reads: `int64`, `["array", "int64", "2"]` or `["tuple", ...]`."""
    if isinstance(layout, Array):
        return ["array", layout.dtype, str(layout.dimensions)]
    if isinstance(layout, Parts):
        return ["tuple", *map(to_json, layout.of)]
    return layout


def from_json(value: Json) -> Layout:
    """Return the layout that `to_json` made a value of."""
    if isinstance(value, str):
        return value
    kind, *rest = value
    if kind == "array":
        dtype, dimensions = map(str, rest)
        return Array(dtype, int(dimensions))
    return Parts(tuple(map(from_json, rest)))
