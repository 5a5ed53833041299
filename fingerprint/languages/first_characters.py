"""Which characters a match of a regular expression can begin with."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Chars = frozenset[str]
# Characters that are told apart; every other one may begin any match.
ASCII: Chars = frozenset(map(chr, range(128)))
NONE: Chars = frozenset()
CATEGORIES = {
    f"CATEGORY_{name}": frozenset(filter(re.compile(pattern).match, ASCII))
    for name, pattern in (
        ("DIGIT", r"\d"), ("NOT_DIGIT", r"\D"), ("SPACE", r"\s"), ("NOT_SPACE", r"\S"),
        ("WORD", r"\w"), ("NOT_WORD", r"\W"),
    )
}  # fmt: skip
SETS = frozenset({"LITERAL", "NOT_LITERAL", "IN", "CATEGORY"})
GROUPS = frozenset({"BRANCH", "SUBPATTERN", "ATOMIC_GROUP"})
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
# They take no character, and only make a match rarer.
CONDITIONS = frozenset({"AT", "ASSERT", "ASSERT_NOT"})


def first_characters(pattern: re.Pattern[str]) -> Chars:
    """ASCII characters that a match can begin with, rather too many than too few; all if it can be empty.

    Told from the parsed expression, which only a private module of Python gives; without it all are given.
    """
    try:
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    except (ImportError, AttributeError):
        return ASCII
    chars, empty = _of_sequence(parsed, pattern.flags)
    return ASCII if empty else chars


def _of_sequence(items: Iterable[tuple[object, Any]], flags: int) -> tuple[Chars, bool]:
    """First characters of parts one after another, and whether all of them can be empty."""
    found = NONE
    for kind, value in items:
        chars, empty = _of_part(str(kind), value, flags)
        found |= chars
        if not empty:
            return found, False
    return found, True


def _of_part(kind: str, value: Any, flags: int) -> tuple[Chars, bool]:
    if kind in CONDITIONS:
        return NONE, True
    if kind in REPEATS:
        chars, empty = _of_sequence(value[2], flags)
        return chars, empty or value[0] == 0
    if kind in GROUPS:
        parts = [_of_sequence(inner, found) for inner, found in _inside(kind, value, flags)]
        return NONE.union(*(chars for chars, _ in parts)), any(empty for _, empty in parts)
    if kind in SETS:
        items = value if kind == "IN" else [(kind.removeprefix("NOT_"), value)]
        return _of_set([*items, *([("NEGATE", None)] if kind == "NOT_LITERAL" else [])], flags), False
    return ASCII, kind != "ANY"  # what a back reference repeats, or anything that is not known here


def _inside(kind: str, value: Any, flags: int) -> list[tuple[Any, int]]:
    """Give the choices that a group holds, each with the flags in force there."""
    if kind == "SUBPATTERN":
        _, added, removed, inner = value
        return [(inner, (flags | added) & ~removed)]
    return [(inner, flags) for inner in (value[1] if kind == "BRANCH" else [value])]


def _of_set(items: Iterable[tuple[object, Any]], flags: int) -> Chars:
    names = [(str(kind), value) for kind, value in items]
    members = NONE.union(*(_members(kind, value) for kind, value in names))
    negated = any(kind == "NEGATE" for kind, _ in names)
    if flags & re.IGNORECASE:  # some letters beyond ASCII fold to ASCII ones
        beyond = any(_reaches_beyond(kind, value) for kind, value in names)
        members = members.union(*((char.lower(), char.upper()) for char in members))
        return ASCII if negated or beyond else members
    return ASCII - members if negated else members


def _members(kind: str, value: Any) -> Chars:
    if kind == "LITERAL":
        return ASCII & {chr(value)}
    if kind == "RANGE":
        return frozenset(char for char in ASCII if value[0] <= ord(char) <= value[1])
    if kind == "CATEGORY":
        return CATEGORIES.get(str(value), ASCII)
    return NONE if kind == "NEGATE" else ASCII


def _reaches_beyond(kind: str, value: Any) -> bool:
    last = {"LITERAL": lambda: value, "RANGE": lambda: value[1]}.get(kind, lambda: 0)()
    return int(last) >= len(ASCII)
