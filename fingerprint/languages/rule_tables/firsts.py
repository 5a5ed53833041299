"""With which kinds of characters a match of a node can begin, and whether it can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages.rule_tables.expressions import (
    Atomic,
    Branch,
    Group,
    Look,
    One,
    Place,
    Reference,
    Repeat,
    Sequence,
    inner_nodes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.languages.rule_tables.characters import Sets
    from fingerprint.languages.rule_tables.expressions import Node


class First(NamedTuple):
    """The kinds that a match begins with, and whether it can be empty."""

    kinds: int
    empty: bool


class Firsts:
    """Returns what the nodes of some expressions begin with, and remembers it."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._known: dict[int, tuple[Node, First]] = {}  # by identity; the node is kept, so that it stays one

    def of(self, node: Node) -> First:
        if id(node) not in self._known:
            self._known[id(node)] = node, self._first(node)
        return self._known[id(node)][1]

    def _first(self, node: Node) -> First:
        if isinstance(node, One):
            return First(self._sets.kinds_of(node.chars), empty=False)
        if isinstance(node, Sequence):
            return self._sequence(node.items)
        if isinstance(node, Reference):
            return First(self._sets.every, empty=True)
        if isinstance(node, Place | Look):
            return First(0, empty=True)
        firsts = [self.of(one) for one in inner_nodes(node)]
        empty = any(one.empty for one in firsts) or (isinstance(node, Repeat) and node.least == 0)
        return First(self._sets.union(one.kinds for one in firsts), empty)

    def _sequence(self, items: Iterable[Node]) -> First:
        kinds = 0
        for item in items:
            first = self.of(item)
            kinds |= first.kinds
            if not first.empty:
                return First(kinds, empty=False)
        return First(kinds, empty=True)

    def never_fails(self, node: Node) -> bool:
        """Return whether a node matches at every place."""
        if isinstance(node, Repeat):
            return node.least == 0
        if isinstance(node, Sequence):
            return all(map(self.never_fails, node.items))
        if isinstance(node, Branch):
            return any(map(self.never_fails, node.alternatives))
        return isinstance(node, Group | Atomic) and self.never_fails(node.inner)


def single(node: Node) -> One | None:
    """Return the one character that a node consists of, or None."""
    while isinstance(node, Sequence) and len(node.items) == 1:
        node = node.items[0]
    return node if isinstance(node, One) else None
