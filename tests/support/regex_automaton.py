"""The automaton of a regular expression, from the tree of `re._parser`; its states each read a character.

A search is the expression after a state that reads any character. `\\b`, `^`, `$` and lookarounds of one
character are conditions on the character before or after a place; a longer lookahead is a way that leads
nowhere. Repeats of at most `FEW` are written out; others are read as unbounded.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

parser: Any = import_module("re._parser")

# Repeats that are written out; a longer one counts as unbounded.
FEW = 4
# Stands for the start and the end of the text.
EDGE = -1
# Characters beyond ASCII that categories and cases treat in different ways.
ODD = "\x85\xa0\xadßéÉ\u017f\u212aİμ٣Ж中\u0301\u200b\u2028\u2029\ufeff\ufffd\U0001f600"

# What `(?!)` is up to Python 3.12; FAILURE since.
NEVER: Any = ("ASSERT_NOT", (1, []))

Chars = frozenset[int]


class Condition(NamedTuple):
    """The characters before and after a place: a character, or EDGE; None stands for any."""

    before: Chars | None = None
    after: Chars | None = None

    def join(self, other: Condition) -> Condition:
        return Condition(_both(self.before, other.before), _both(self.after, other.after))

    @property
    def possible(self) -> bool:
        return self.before != frozenset() and self.after != frozenset()


FREE = Condition()
AT_END = Condition(after=frozenset({EDGE}))


def _both(one: Chars | None, other: Chars | None) -> Chars | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


@dataclass
class Node:
    """A place in the expression: reads one of `chars`, or nothing if it is None.

    `atomic` is the number of the innermost atomic group around it that is in no loop; 0 if there is none.
    """

    chars: Chars | None = None
    next: list[tuple[int, Condition]] = field(default_factory=list)
    atomic: int = 0


class Way(NamedTuple):
    """From a state to the one that reads the next character, or to the end of the expression."""

    target: int
    condition: Condition


class Automaton:
    """The states of an expression, their ways, and the ways that there are twice, in `doubled`."""

    def __init__(self, pattern: re.Pattern[Any], method: str) -> None:
        tree = parser.parse(pattern.pattern, pattern.flags)
        self.flags = tree.state.flags
        self.alphabet = _alphabet(pattern.pattern, tree)
        self.around = self.alphabet | {EDGE}
        self.nodes: list[Node] = []
        self.doubled: set[tuple[int, int]] = set()
        self._atomic = self._loops = 0
        self._outer = [0]
        self.end = self._add()
        last = self._add()
        self.nodes[last].next.append((self.end, AT_END if method == "fullmatch" else FREE))
        self.first = first = self._sequence(list(tree), last)
        if method not in {"match", "fullmatch"}:
            start = self._add(self.alphabet)
            self.nodes[start].next += [(start, FREE), (first, FREE)]
        self.states = [number for number, node in enumerate(self.nodes) if node.chars is not None]
        ways = {state: self._all_ways(state) for state in self.states}
        self.ways = {state: [way for way in ways[state] if way.target != self.end] for state in self.states}
        self.ends = {state: [way for way in ways[state] if way.target == self.end] for state in self.states}

    def entries(self) -> list[Way]:
        """Return the ways from the start of the text to the states that read its first character."""
        reached = self._reached(self.first, Condition(before=frozenset({EDGE})))
        read = [(way, self.nodes[way.target].chars) for way in reached if way.target != self.end]
        return [Way(way.target, way.condition.join(Condition(after=chars))) for way, chars in read]

    def groups(self, state: int) -> set[int]:
        """Return the atomic groups around a state that are in no loop."""
        group, groups = self.nodes[state].atomic, set[int]()
        while group:
            groups.add(group)
            group = self._outer[group]
        return groups

    def _add(self, chars: Chars | None = None) -> int:
        self.nodes.append(Node(chars, atomic=self._atomic))
        return len(self.nodes) - 1

    def _sequence(self, items: list[Any], then: int) -> int:
        for item in reversed(items):
            then = self._item(NEVER if str(item[0]) == "FAILURE" else item, then)
        return then

    def _item(self, item: Any, then: int) -> int:
        match str(item[0]), item[1]:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" | "RANGE" | "CATEGORY", _:
                place = self._add(self._chars(item))
                self.nodes[place].next.append((then, FREE))
            case "SUBPATTERN", (*_, items):
                place = self._sequence(list(items), then)
            case "ATOMIC_GROUP", items:
                place = self._atomic_group(list(items), then)
            case "BRANCH", (_, alternatives):
                place = self._add()
                self.nodes[place].next += [(self._sequence(list(one), then), FREE) for one in alternatives]
            case "MAX_REPEAT" | "MIN_REPEAT", (least, most, items):
                place = self._repeat(least, most, list(items), then, then)
            case "POSSESSIVE_REPEAT", (least, most, items):
                place = self._repeat(least, most, list(items), self._not_before(list(items), then), then)
            case "ASSERT" | "ASSERT_NOT" as name, (direction, items):
                place = self._look(direction, list(items), then, negative=name == "ASSERT_NOT")
            case "AT", where:
                place = self._at(str(where), then)
            case name, _:
                raise ValueError(f"the proof does not know {name}")
        return place

    def _atomic_group(self, items: list[Any], then: int) -> int:
        outer = self._atomic
        if not self._loops:
            self._outer.append(outer)
            self._atomic = len(self._outer) - 1
        first = self._sequence(items, then)
        self._atomic = outer
        return first

    def _not_before(self, items: list[Any], then: int) -> int:
        """Return a place that leads to `then` only where no character follows that `items`, if one, reads."""
        if len(items) != 1 or (chars := self._single(items[0])) is None:
            return then
        place = self._add()
        self.nodes[place].next.append((then, Condition(after=self.around - chars)))
        return place

    def _repeat(self, least: int, most: Any, items: list[Any], out: int, then: int) -> int:
        """Return the first place of a repeat; `out` is where it ends, and `then` where `most` end it."""
        place = out
        if most != parser.MAXREPEAT and most <= FEW:
            place = then if most else out
            for _ in range(most - least):
                again, place = place, self._add()
                self.nodes[place].next += [(self._sequence(items, again), FREE), (out, FREE)]
        else:
            place = self._add()
            self._loops += 1
            self.nodes[place].next += [(self._sequence(items, place), FREE), (out, FREE)]
            self._loops -= 1
        for _ in range(min(least, FEW)):
            place = self._sequence(items, place)
        return place

    def _look(self, direction: int, items: list[Any], then: int, *, negative: bool) -> int:
        place = self._add()
        alternatives = self._alternatives(items)
        if alternatives is None and direction > 0:
            self.nodes[place].next += [(self._sequence(items, self._add()), FREE), (then, FREE)]
        elif alternatives is None:
            self.nodes[place].next.append((then, FREE))  # of a fixed width: it takes a bounded time
        else:
            chars = self.around - alternatives if negative else alternatives
            where = Condition(after=chars) if direction > 0 else Condition(before=chars)
            self.nodes[place].next.append((then, where))
        return place

    def _alternatives(self, items: list[Any]) -> Chars | None:
        """Return what an assertion of one character, or of an end of the text, allows; else None."""
        if len(items) != 1:
            return None
        name, value = str(items[0][0]), items[0][1]
        if name == "AT" and str(value) in {"AT_END_STRING", "AT_BEGINNING_STRING"}:
            return frozenset({EDGE})
        if name == "SUBPATTERN":
            return self._alternatives(list(value[3]))
        if name == "BRANCH":
            parts = [self._alternatives(list(one)) for one in value[1]]
            return None if None in parts else frozenset().union(*filter(None, parts))
        return self._single(items[0])

    def _single(self, item: Any) -> Chars | None:
        name = str(item[0])
        if name == "SUBPATTERN" and len(item[1][3]) == 1:
            return self._single(item[1][3][0])
        return self._chars(item) if name in {"LITERAL", "NOT_LITERAL", "ANY", "IN"} else None

    def _at(self, where: str, then: int) -> int:
        place, edge = self._add(), frozenset({EDGE})
        words = self._category("CATEGORY_WORD")
        others = self.around - words
        line = frozenset({EDGE, ord("\n")}) if self.flags & re.MULTILINE else edge
        conditions = {
            "AT_BEGINNING": [Condition(before=line)],
            "AT_BEGINNING_STRING": [Condition(before=edge)],
            "AT_END": [Condition(after=line)],
            "AT_END_STRING": [AT_END],
            "AT_BOUNDARY": [Condition(words, others), Condition(others, words)],
            "AT_NON_BOUNDARY": [Condition(words, words), Condition(others, others)],
        }
        self.nodes[place].next += [(then, one) for one in conditions[where]]
        return place

    def _chars(self, item: Any) -> Chars:
        name, value = str(item[0]), item[1]
        if name == "ANY":
            return self.alphabet if self.flags & re.DOTALL else self.alphabet - {10}
        if name == "NOT_LITERAL":
            return self.alphabet - self._cased(frozenset({value}))
        if name == "LITERAL":
            return self._cased(frozenset({value}))
        if name == "RANGE":
            return self._cased(frozenset(char for char in self.alphabet if value[0] <= char <= value[1]))
        if name == "CATEGORY":
            return self._category(str(value))
        negated = str(value[0][0]) == "NEGATE"
        chars = frozenset[int]().union(*(self._chars(one) for one in value[negated:]))
        return self.alphabet - chars if negated else chars

    def _cased(self, chars: Chars) -> Chars:
        if not self.flags & re.IGNORECASE:
            return chars
        folded = {chr(char).upper().lower() for char in chars}
        return frozenset(char for char in self.alphabet if chr(char).upper().lower() in folded)

    def _category(self, name: str) -> Chars:
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.rpartition("_")[2]]
        expression = rf"\{letter.upper() if '_NOT_' in name else letter}"
        if self.flags & re.UNICODE:
            return frozenset(char for char in self.alphabet if re.match(expression, chr(char)))
        return frozenset(c for c in self.alphabet if c < 256 and re.match(expression.encode(), bytes([c])))

    def _all_ways(self, state: int) -> list[Way]:
        """Return the ways to the next states and to the end; note those that there are twice."""
        ways: list[Way] = []
        for target, condition in self._reached(state, Condition(before=self.nodes[state].chars)):
            reads = self.around if target == self.end else self.nodes[target].chars
            way = Way(target, condition.join(Condition(after=reads)))
            if not way.condition.possible:
                continue
            if any(one.target == target and one.condition.join(way.condition).possible for one in ways):
                self.doubled.add((state, target))
            ways.append(way)
        return ways

    def _reached(self, place: int, condition: Condition, taken: frozenset[tuple[int, int]] = frozenset()) -> list[Way]:
        """Return what is reached by every way that takes no step twice, so that nested loops are two ways."""
        reached = []
        for step, (target, more) in enumerate(self.nodes[place].next):
            joined = condition.join(more)
            if (place, step) in taken or not joined.possible:
                continue
            if self.nodes[target].chars is not None or target == self.end:
                reached.append(Way(target, joined))
            else:
                reached += self._reached(target, joined, taken | {(place, step)})
        return reached


def _alphabet(pattern: str | bytes, tree: Any) -> Chars:
    if isinstance(pattern, bytes):
        return frozenset(range(256))
    return frozenset({*range(128), *map(ord, ODD), *_written(tree)})


def _written(tree: Any) -> set[int]:
    """Return the numbers in a tree that may be characters, with their neighbours and their other cases."""
    if isinstance(tree, int) and not isinstance(tree, bool) and type(tree) is int:
        near = {n for n in (tree - 1, tree, tree + 1) if 0 <= n <= sys.maxunicode}
        return near | {ord(c) for n in near for c in (chr(n).lower(), chr(n).upper()) if len(c) == 1}
    if isinstance(tree, list | tuple | parser.SubPattern):
        return set[int]().union(*map(_written, tree))
    return set()


def _folded(char: int) -> str:
    return chr(char).lower() if char < 128 else chr(char).upper().lower()
