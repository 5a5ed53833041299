"""Write the instructions of regular expressions.

Where the next character decides between two ways, no other way is kept to return to. So most expressions of
lexers never go back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages.rule_tables import tables as op
from fingerprint.languages.rule_tables.expressions import (
    Branch,
    Failure,
    Group,
    Look,
    One,
    Place,
    Reference,
    Repeat,
    Sequence,
)
from fingerprint.languages.rule_tables.firsts import Firsts, single
from fingerprint.languages.rule_tables.parts import COUNTERS, GROUPS

if TYPE_CHECKING:
    from fingerprint.languages.rule_tables.characters import Sets
    from fingerprint.languages.rule_tables.expressions import Node

# Copies of a body that is repeated at least so often; with more a counter is used.
MOST_COPIES = 3
# Whether an empty text has a place between no words depends on the version of Python.
EMPTY_HAS_NO_BOUNDARY = int(re.match(r"\B", "") is not None)
_PLACES = {"line start": op.LINE_START, "line end": op.LINE_END, "last line end": op.LAST_LINE_END}


class Follow(NamedTuple):
    """The text after a part: the kinds with which it can begin, and whether it always matches."""

    kinds: int
    sure: bool


class ProgramWriter:
    """Writes expressions one after another; `code`, `choices` and `registers` are for all of them.

    The first rows of `choices` are left for the states of a lexer.
    """

    def __init__(self, sets: Sets, states: int) -> None:
        self.sets, self.firsts = sets, Firsts(sets)
        # The empty list is at address 0.
        self.code: list[int] = [-1]
        self.choices: list[list[int]] = [[] for _ in range(states)]
        self.registers = COUNTERS
        self._used: frozenset[int] = frozenset()

    def write(self, expression: Sequence, used: frozenset[int]) -> int:
        """Write an expression of which some groups are used; return its address."""
        start = len(self.code)
        self._used = used
        if used:
            self._add(op.CLEAR, GROUPS + 2 * max(used) + 2)
        self._node(expression, Follow(self.sets.every, sure=True))
        self._add(op.MATCHED)
        return start

    def _add(self, *numbers: int) -> int:
        """Add an instruction; return the address of its first operand."""
        self.code += numbers
        return len(self.code) - len(numbers) + 1

    def add(self, *numbers: int) -> int:
        """Add numbers that are no instruction; return the address of the first one."""
        return self._add(*numbers) - 1

    def _node(self, node: Node, follow: Follow) -> None:
        if isinstance(node, One | Place | Reference | Failure):
            self._one_place(node)
        elif isinstance(node, Sequence):
            self._sequence(node, follow)
        elif isinstance(node, Branch):
            self._branch(node, follow)
        elif isinstance(node, Repeat):
            self._repeat(node, follow)
        elif isinstance(node, Group):
            self._group(node, follow)
        elif isinstance(node, Look):
            self._part(op.NO_LOOK if node.negated else op.LOOK, node.inner, node.behind)
        else:
            self._part(op.ATOMIC, node.inner)

    def _one_place(self, node: One | Place | Reference | Failure) -> None:
        if isinstance(node, One):
            self._one(node)
        elif isinstance(node, Place):
            self._place(node)
        elif isinstance(node, Reference):
            self._add(op.REFERENCE, GROUPS + 2 * node.number, int(node.ignores_case))
        else:
            self._add(op.FAIL)

    def _sequence(self, node: Sequence, follow: Follow) -> None:
        follows = [follow]
        for item in reversed(node.items[1:]):
            follows.append(self._before(item, follows[-1]))
        word: list[int] = []
        for item in node.items:
            after = follows.pop()
            kind = self._only_kind(item)
            if kind >= 0:
                word.append(kind)
                continue
            self._word(word)
            self._node(item, after)
        self._word(word)

    def _before(self, item: Node, follow: Follow) -> Follow:
        first = self.firsts.of(item)
        kinds = first.kinds | (follow.kinds if first.empty else 0)
        return Follow(kinds, follow.sure and self.firsts.never_fails(item))

    def _only_kind(self, node: Node) -> int:
        """Return the kind that a node matches one character of; -1 for another node."""
        if not isinstance(node, One):
            return -1
        kinds = self.sets.kinds_of(node.chars)
        return kinds.bit_length() - 1 if kinds.bit_count() == 1 else -1

    def _word(self, kinds: list[int]) -> None:
        if len(kinds) == 1:
            self._add(op.CHARACTER, kinds[0])
        elif kinds:
            self._add(op.WORD, len(kinds), *kinds)
        kinds.clear()

    def _one(self, node: One) -> None:
        kind = self._only_kind(node)
        if kind >= 0:
            self._add(op.CHARACTER, kind)
        else:
            self._add(op.ONE, self.sets.row(self.sets.kinds_of(node.chars)))

    def _group(self, node: Group, follow: Follow) -> None:
        if node.number not in self._used:
            return self._node(node.inner, follow)
        self._add(op.SAVE, GROUPS + 2 * node.number)
        self._node(node.inner, follow)
        self._add(op.SAVE, GROUPS + 2 * node.number + 1)
        return None

    def _place(self, node: Place) -> None:
        row = self.sets.row(self.sets.kinds_of(node.chars))
        if node.name.endswith("boundary"):
            wanted = int(node.name == "boundary")
            self._add(op.BOUNDARY, row, wanted, 0 if wanted else EMPTY_HAS_NO_BOUNDARY)
        elif node.name in _PLACES:
            self._add(_PLACES[node.name], row)
        else:
            self._add(op.TEXT_START if node.name == "text start" else op.TEXT_END)

    def _part(self, operation: int, inner: Node, *operands: int) -> None:
        """Write a part that is matched for itself."""
        exit_at = self._add(operation, 0, *operands)
        self._node(inner, Follow(self.sets.every, sure=True))
        self._add(op.DONE)
        self.code[exit_at] = len(self.code)

    def _branch(self, node: Branch, follow: Follow) -> None:
        if len(node.alternatives) == 1:
            return self._node(node.alternatives[0], follow)
        begins = [self._before(one, follow).kinds for one in node.alternatives]
        row = len(self.choices)
        self.choices.append([])
        self._add(op.BRANCH, row)
        addresses, jumps = [], []
        for alternative in node.alternatives:
            addresses.append(len(self.code))
            self._node(alternative, follow)
            jumps.append(self._add(op.JUMP, 0))
        self.choices[row] = self.lists_by_kind(begins, addresses)
        for jump in jumps:
            self.code[jump] = len(self.code)
        return None

    def lists_by_kind(self, begins: list[int], addresses: list[int]) -> list[int]:
        """Add lists of the addresses to try at a kind; return where they are, by kind."""
        row, known = [0] * self.sets.width, dict[int, int]()
        for kind in self.sets.bits(self.sets.union(begins)):
            chosen = sum(1 << index for index, kinds in enumerate(begins) if kinds >> kind & 1)
            if chosen not in known:
                known[chosen] = len(self.code)
                self.code += [addresses[index] for index in self.sets.bits(chosen)]
                self.code.append(-1)
            row[kind] = known[chosen]
        return row

    def _repeat(self, node: Repeat, follow: Follow) -> None:
        first = self.firsts.of(node.inner)
        one = single(node.inner)
        if one is not None:
            self._repeat_one(node, self.sets.kinds_of(one.chars), follow)
        elif node.mode == "possessive":
            self._possessive(node, first.kinds if not first.empty else self.sets.every)
        elif (node.least, node.most) == (0, 1):
            self._optional(node, follow)
        elif node.least <= MOST_COPIES and node.most in (-1, node.least) and not first.empty:
            self._copies(node, follow)
        else:
            self._counted(node, follow)

    def _repeat_one(self, node: Repeat, kinds: int, follow: Follow) -> None:
        row, mode = self.sets.row(kinds), node.mode
        if mode == "lazy" and follow.sure:
            self._add(op.SPAN, row, node.least, node.least)
        elif mode == "possessive" or (mode == "greedy" and (follow.sure or not kinds & follow.kinds)):
            self._add(op.SPAN, row, node.least, node.most)
        else:
            operation = op.GREEDY if mode == "greedy" else op.LAZY
            self._add(operation, row, node.least, node.most, self.sets.row(follow.kinds))

    def _copies(self, node: Repeat, follow: Follow) -> None:
        """Write a body so often as it is needed at least, and a loop for more."""
        kinds = self.firsts.of(node.inner).kinds
        after = Follow(kinds | follow.kinds, sure=False)
        for _ in range(node.least):
            self._node(node.inner, after)
        if node.most < 0:
            loop = len(self.code)
            self._optional(node, follow, after)
            # The body returns to its start; what skips it goes behind the jump.
            self._add(op.JUMP, loop)
            self.code[loop + 3 + (node.mode == "greedy")] = len(self.code)

    def _optional(self, node: Repeat, follow: Follow, after: Follow | None = None) -> None:
        kinds = self._before(node.inner, follow).kinds
        rows = [self.sets.row(kinds), self.sets.row(follow.kinds)]
        is_lazy = node.mode == "lazy"
        addresses = self._add(op.SPLIT, *(reversed(rows) if is_lazy else rows), 0, 0) + 2
        self.code[addresses + is_lazy] = len(self.code)
        self._node(node.inner, after or follow)
        self.code[addresses + (not is_lazy)] = len(self.code)

    def _counter(self) -> int:
        self.registers += 2
        return self.registers - 2

    def _counted(self, node: Repeat, follow: Follow) -> None:
        counter, is_lazy = self._counter(), node.mode == "lazy"
        begin = self._before(node.inner, follow).kinds
        rows = [self.sets.row(begin), self.sets.row(follow.kinds)]
        self._add(op.REPEAT, counter)
        until = len(self.code)
        operands = self._add(op.UNTIL, counter, node.least, node.most, 0, 0, *rows)
        if is_lazy:
            self.code[until] = op.UNTIL_LAZY
            self._add(len(self.code) + 1)
            more = self._add(op.MORE, counter, node.most, 0)
            self.code[more + 2] = len(self.code)
        self.code[operands + 3] = len(self.code)
        self._node(node.inner, Follow(begin | follow.kinds, sure=False))
        self._add(op.JUMP, until)
        self.code[operands + 4] = len(self.code)

    def _possessive(self, node: Repeat, begin: int) -> None:
        counter = self._counter()
        self._add(op.REPEAT, counter)
        row = self.sets.row(begin)
        exit_at = self._add(op.POSSESSIVE, counter, node.least, node.most, 0, row) + 3
        self._node(node.inner, Follow(self.sets.every, sure=True))
        self._add(op.DONE)
        self.code[exit_at] = len(self.code)
