"""A pair by name, as every table, export and interface writes it. Needs no Django."""

from __future__ import annotations

from typing import NamedTuple


class PairRow(NamedTuple):
    """The figures of a pair: shares and similarity in [0, 1]; tokens, lines and longest passage in tokens."""

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int


class Evidence(NamedTuple):
    """What each kind of evidence adds to a pair's similarity; together they are it."""

    structure: float
    literals: float
    names: float
