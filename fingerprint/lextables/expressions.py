"""Regular expressions of lexers: compiled when one is needed, or read as trees of nodes.

The trees come from Python's private parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from re import Match, Pattern
from typing import Any, NamedTuple

from pygments.lexer import RegexLexerMeta
from pygments.util import Future

from fingerprint.lextables.characters import CATEGORIES, CharacterClass, Item
from fingerprint.lextables.tables import LAST_GROUP

TYPE_FLAGS = re.ASCII | re.UNICODE | re.LOCALE
NEWLINE = CharacterClass((ord("\n"),), negated=False, flags=0)
SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})
REPEATS = {"MAX_REPEAT": "greedy", "MIN_REPEAT": "lazy", "POSSESSIVE_REPEAT": "possessive"}
# Where an expression matches, by the name of the parser; multi-line anchors have a name of their own.
PLACES = {
    "AT_BEGINNING": "text start", "AT_BEGINNING_STRING": "text start", "AT_END": "last line end",
    "AT_END_STRING": "text end", "AT_BOUNDARY": "boundary", "AT_NON_BOUNDARY": "no boundary",
}  # fmt: skip
MULTILINE_PLACES = {"AT_BEGINNING": "line start", "AT_END": "line end"}


class RulePattern:
    """The regular expression of a rule; `match` compiles it at its first call."""

    __slots__ = ("_expression", "_flags", "_pattern")

    def __init__(self, expression: Any, flags: int) -> None:
        self._expression, self._flags = expression, flags
        self._pattern: Pattern[str] | None = None

    @property
    def pattern(self) -> Pattern[str]:
        if self._pattern is None:
            expression = self._expression
            if isinstance(expression, Future):
                expression = expression.get()  # type: ignore[func-returns-value]  # its subclasses return one
            self._pattern = re.compile(expression, self._flags)
        return self._pattern

    def match(self, text: str, start: int = 0) -> Match[str] | None:
        return self.pattern.match(text, start)


class LatePatterns(RegexLexerMeta):
    """Makes the rules of a lexer with expressions that are not compiled yet."""

    def _process_regex(self, regex: Any, rflags: int, state: str) -> Callable[[str, int], Match[str] | None]:
        del state
        return RulePattern(regex, rflags).match


def pattern_of(matcher: Any) -> Pattern[str] | None:
    """Return the compiled expression of the function that matches a rule; None where it has none."""
    owner = getattr(matcher, "__self__", None)
    if isinstance(owner, RulePattern):
        return owner.pattern
    return owner if isinstance(owner, re.Pattern) else None


class Untranslatable(Exception):
    """Raised for an expression that no table can hold; the message is the reason."""


class One(NamedTuple):
    """One character of a class."""

    chars: CharacterClass


class Sequence(NamedTuple):
    items: list[Node]


class Branch(NamedTuple):
    alternatives: list[Node]


class Group(NamedTuple):
    number: int
    inner: Node


class Repeat(NamedTuple):
    """`most` is -1 without a limit; `mode` is greedy, lazy or possessive."""

    least: int
    most: int
    mode: str
    inner: Node


class Place(NamedTuple):
    """A condition on the characters before and after; `chars` are the words of a boundary, or line ends."""

    name: str
    chars: CharacterClass


class Look(NamedTuple):
    """A condition on the text from `behind` characters before on."""

    behind: int
    negated: bool
    inner: Node


class Atomic(NamedTuple):
    inner: Node


class Reference(NamedTuple):
    number: int
    ignores_case: bool


class Failure(NamedTuple):
    """An expression that never matches."""


Node = One | Sequence | Branch | Group | Repeat | Place | Look | Atomic | Reference | Failure


def inner_nodes(node: Node) -> list[Node]:
    """Return the nodes of which a node consists."""
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Branch):
        return node.alternatives
    return [node.inner] if isinstance(node, Group | Repeat | Look | Atomic) else []


def parse(pattern: re.Pattern[str]) -> Sequence:
    """Return the tree of a regular expression.

    Raises Untranslatable when a part of it, or what Python's parser returns for it, is not known here.
    """
    try:
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
        return _sequence(parsed, pattern.flags)
    except (ImportError, AttributeError, TypeError, ValueError, LookupError) as error:
        raise Untranslatable(f"Python's parser has changed ({error!r})") from error


def _sequence(parts: Iterable[tuple[object, Any]], flags: int) -> Sequence:
    return Sequence([_node(str(kind), value, flags) for kind, value in parts])


def _node(kind: str, value: Any, flags: int) -> Node:
    if kind in SINGLE:
        return One(_character_class(kind, value, flags))
    if kind in REPEATS:
        return _repeat(kind, value, flags)
    if kind not in _OTHERS:
        raise Untranslatable(f"{kind} in a regular expression")
    return _OTHERS[kind](value, flags)


def _repeat(kind: str, value: Any, flags: int) -> Repeat:
    least, most, inner = value
    limit = -1 if str(most) == "MAXREPEAT" else int(most)
    return Repeat(int(least), limit, REPEATS[kind], _sequence(inner, flags))


def _branch(value: Any, flags: int) -> Branch:
    _, alternatives = value
    return Branch([_sequence(one, flags) for one in alternatives])


def _look(value: Any, flags: int, *, negated: bool = False) -> Look:
    direction, inner = value
    shortest, longest = inner.getwidth()
    if direction < 0 and shortest != longest:
        raise Untranslatable("a look-behind of several lengths")
    return Look(int(shortest) if direction < 0 else 0, negated, _sequence(inner, flags))


def _group(value: Any, flags: int) -> Node:
    number, added, removed, inner = value
    if added & TYPE_FLAGS:
        flags &= ~TYPE_FLAGS
    sequence = _sequence(inner, (flags | added) & ~removed)
    if number is None:
        return sequence
    if number > LAST_GROUP:
        raise Untranslatable("too many groups")
    return Group(int(number), sequence)


def _atomic(value: Any, flags: int) -> Node:
    """Return an atomic group, or the possessive repeat that it is: that keeps no place to return to.

    `(?>(?:ab)*)` is `(?:ab)*+`, because a greedy repeat that needs no second text can end after each.
    """
    inner = _sequence(value, flags)
    only = inner.items[0] if len(inner.items) == 1 else None
    if not isinstance(only, Repeat) or only.mode != "greedy" or only.least > 1:
        return Atomic(inner)
    _, (_, _, repeated) = value[0]
    return only._replace(mode="possessive") if repeated.getwidth()[0] else Atomic(inner)


def _place(value: Any, flags: int) -> Place:
    name = str(value)
    multiline = MULTILINE_PLACES.get(name) if flags & re.MULTILINE else None
    if name not in PLACES:
        raise Untranslatable(f"{name} in a regular expression")
    words = CharacterClass(("CATEGORY_WORD",), negated=False, flags=flags & re.ASCII)
    return Place(multiline or PLACES[name], words if name.endswith("BOUNDARY") else NEWLINE)


def _reference(number: int, flags: int) -> Reference:
    ignores_case = bool(flags & re.IGNORECASE)
    if ignores_case and flags & re.ASCII:
        raise Untranslatable("a reference that ignores the case of ASCII letters")
    if number > LAST_GROUP:
        raise Untranslatable("too many groups")
    return Reference(int(number), ignores_case)


def _character_class(kind: str, value: Any, flags: int) -> CharacterClass:
    if flags & re.LOCALE:
        raise Untranslatable("characters that depend on the locale")
    class_flags = flags & (re.IGNORECASE | re.ASCII)
    if kind == "ANY":
        return CharacterClass(() if flags & re.DOTALL else NEWLINE.items, negated=True, flags=0)
    if kind != "IN":
        return CharacterClass((int(value),), kind == "NOT_LITERAL", _needed((value,), class_flags))
    parts = [(str(name), item) for name, item in value]
    negated = bool(parts) and parts[0][0] == "NEGATE"
    items = tuple(_item(name, item) for name, item in parts[negated:])
    return CharacterClass(items, negated, _needed(items, class_flags))


def _item(name: str, value: Any) -> Item:
    if name == "LITERAL":
        return int(value)
    if name == "RANGE":
        first, last = value
        return int(first), int(last)
    if name == "CATEGORY" and str(value) in CATEGORIES:
        return str(value)
    raise Untranslatable(f"{name} in a character class")


def _needed(items: tuple[Item, ...], flags: int) -> int:
    """Return the flags that make a difference to a class, so that equal classes are one."""
    if not flags & re.IGNORECASE and not any(isinstance(item, str) for item in items):
        return 0
    return flags


_OTHERS: dict[str, Callable[[Any, int], Node]] = {
    "ASSERT": _look, "ASSERT_NOT": partial(_look, negated=True), "SUBPATTERN": _group, "BRANCH": _branch,
    "ATOMIC_GROUP": _atomic, "AT": _place, "GROUPREF": _reference, "FAILURE": lambda _value, _flags: Failure(),
}  # fmt: skip
