"""Sets of kinds of characters as bits of an integer, and the rows of `Program.member` made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fingerprint.languages.rule_tables.characters import CharacterClass, Partition
    from fingerprint.languages.rule_tables.tables import KindRows


class Sets:
    """The sets that a lexer uses; the last kind is the end of a text, which no class has."""

    def __init__(self, classes: dict[CharacterClass, int], parts: Partition) -> None:
        self._classes, self._masks = classes, parts.masks
        self.width = parts.kind_count + 1
        self.every = (1 << self.width) - 1
        self._rows: dict[int, int] = {}

    def kinds_of(self, chars: CharacterClass) -> int:
        return self._masks[self._classes[chars]]

    def row(self, kinds: int) -> int:
        return self._rows.setdefault(kinds, len(self._rows))

    def member(self) -> KindRows:
        """Return the table of all rows that were asked for."""
        size = (self.width + 7) // 8
        packed = np.frombuffer(b"".join(one.to_bytes(size, "little") for one in self._rows), np.uint8)
        rows = np.unpackbits(packed.reshape(-1, size), axis=1, bitorder="little")
        return np.ascontiguousarray(rows[:, : self.width])

    @staticmethod
    def bits(kinds: int) -> Iterator[int]:
        while kinds:
            lowest = kinds & -kinds
            yield lowest.bit_length() - 1
            kinds ^= lowest

    @staticmethod
    def union(sets: Iterable[int]) -> int:
        result = 0
        for one in sets:
            result |= one
        return result
