"""Find the characters with which a match of a regular expression can begin."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Chars = frozenset[str]
# Only ASCII characters are distinguished; any other character may begin any match.
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
# Parts that consume no character and only restrict where the expression matches.
CONDITIONS = frozenset({"AT", "ASSERT", "ASSERT_NOT"})


def first_characters(pattern: re.Pattern[str]) -> Chars:
    """Return the ASCII characters that a match can begin with; all of them when a match can be empty.

    The result may include too many characters, never too few. It is derived from the parsed expression, which
    only a private module of Python provides; without that module all characters are returned.
    """
    try:
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    except (ImportError, AttributeError):
        return ASCII
    chars, empty = _sequence_characters(parsed, pattern.flags)
    return ASCII if empty else chars


def _sequence_characters(items: Iterable[tuple[object, Any]], flags: int) -> tuple[Chars, bool]:
    """Return the first characters of consecutive parts, and whether all of the parts can be empty."""
    chars = NONE
    for kind, value in items:
        part_chars, empty = _part_characters(str(kind), value, flags)
        chars |= part_chars
        if not empty:
            return chars, False
    return chars, True


def _part_characters(kind: str, value: Any, flags: int) -> tuple[Chars, bool]:
    if kind in CONDITIONS:
        return NONE, True
    if kind in REPEATS:
        chars, empty = _sequence_characters(value[2], flags)
        return chars, empty or value[0] == 0
    if kind in GROUPS:
        parts = [_sequence_characters(*alternative) for alternative in _alternatives(kind, value, flags)]
        return NONE.union(*(chars for chars, _ in parts)), any(empty for _, empty in parts)
    if kind in SETS:
        items = value if kind == "IN" else [(kind.removeprefix("NOT_"), value)]
        return _set_characters([*items, *([("NEGATE", None)] if kind == "NOT_LITERAL" else [])], flags), False
    return ASCII, kind != "ANY"  # ANY, or (possibly empty) a back reference or an unknown part


def _alternatives(kind: str, value: Any, flags: int) -> list[tuple[Any, int]]:
    """Return the alternatives of a group, each with the flags that apply in it."""
    if kind == "SUBPATTERN":
        _, added, removed, inner = value
        return [(inner, (flags | added) & ~removed)]
    return [(inner, flags) for inner in (value[1] if kind == "BRANCH" else [value])]


def _set_characters(items: Iterable[tuple[object, Any]], flags: int) -> Chars:
    names = [(str(kind), value) for kind, value in items]
    chars = NONE.union(*(_item_characters(kind, value) for kind, value in names))
    negated = any(kind == "NEGATE" for kind, _ in names)
    if flags & re.IGNORECASE:  # some letters beyond ASCII equal ASCII letters when case is ignored
        beyond_ascii = any(_includes_non_ascii(kind, value) for kind, value in names)
        chars = chars.union(*((char.lower(), char.upper()) for char in chars))
        return ASCII if negated or beyond_ascii else chars
    return ASCII - chars if negated else chars


def _item_characters(kind: str, value: Any) -> Chars:
    if kind == "LITERAL":
        return ASCII & {chr(value)}
    if kind == "RANGE":
        return frozenset(char for char in ASCII if value[0] <= ord(char) <= value[1])
    if kind == "CATEGORY":
        return CATEGORIES.get(str(value), ASCII)
    return NONE if kind == "NEGATE" else ASCII


def _includes_non_ascii(kind: str, value: Any) -> bool:
    last = {"LITERAL": lambda: value, "RANGE": lambda: value[1]}.get(kind, lambda: 0)()
    return int(last) >= len(ASCII)
