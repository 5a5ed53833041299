"""The part of regular expressions that some versions of Python which the product supports match wrongly."""

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

SINGLE = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


def has_possessive_group(pattern: re.Pattern[Any]) -> bool:
    """Return whether more than one character is repeated possessively, as in `(?:ab)*+`.

    Before 3.11.5, Python matches such a repeat where the greedy one in an atomic group, `(?>(?:ab)*)`, does
    not match, and loops endlessly on some (CPython's issues 100061 and 106052). Possessive repeats of one
    character, and atomic groups, are matched alike by all versions.
    """
    tree = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    return any(kind == "POSSESSIVE_REPEAT" and not _is_one_character(value[2]) for kind, value in _parts(tree))


def _parts(items: Iterable[tuple[object, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each part of a tree, and of the parts in it."""
    for kind, value in items:
        yield str(kind), value
        for inner in _inner(str(kind), value):
            yield from _parts(inner)


def _inner(kind: str, value: Any) -> list[Any]:
    if kind in REPEATS:
        return [value[2]]
    if kind == "SUBPATTERN":
        return [value[3]]
    if kind in {"ASSERT", "ASSERT_NOT"}:
        return [value[1]]
    if kind == "GROUPREF_EXISTS":
        return [one for one in value[1:] if one]
    return list(value[1]) if kind == "BRANCH" else [value] if kind == "ATOMIC_GROUP" else []


def _is_one_character(items: Any) -> bool:
    if len(items) != 1:
        return False
    kind, value = str(items[0][0]), items[0][1]
    if kind == "SUBPATTERN":
        return value[0] is None and _is_one_character(value[3])
    return kind in SINGLE
