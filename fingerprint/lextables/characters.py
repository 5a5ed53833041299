"""Character classes exactly as `re` decides, as sets of intervals of code points.

A set of characters is the sorted array of the code points at which membership changes, so that a code point
belongs to it if the number of changes up to it is odd.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.kernels.types import Flags

if TYPE_CHECKING:
    from fingerprint.lextables.tables import Changes, CharacterKinds, KindRows

LIMIT = sys.maxunicode + 1
# Code points in one page of the table from code points to kinds.
PAGE = 128
# The names of the parser, and patterns.
CATEGORIES = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
}  # fmt: skip
# One item of a class: a code point, the first and the last of a range, or the name of a category.
Item = int | tuple[int, int] | str
_BLOCK = 1024


class CharacterClass(NamedTuple):
    """A character class of a pattern; `flags` are the flags of `re` that change its characters."""

    items: tuple[Item, ...]
    negated: bool
    flags: int


class Partition(NamedTuple):
    """Code points grouped by the classes that they belong to: each group is a kind of characters.

    `pages` uint16 has the page of each PAGE code points, `kinds` uint16 the kinds in each page, one after
    another; `masks` has the kinds of each class as bits; `kind_count` is the number of kinds.
    """

    pages: CharacterKinds
    kinds: CharacterKinds
    masks: list[int]
    kind_count: int


def partition(classes: Sequence[CharacterClass]) -> Partition:
    """Return the kinds of characters that some classes distinguish."""
    changes = [members(one) for one in classes]
    starts = np.sort(np.concatenate([np.zeros(1, np.int64), *changes]))
    starts = starts[_begins(starts) & (starts < LIMIT)]
    inside = np.array([np.searchsorted(one, starts, side="right") & 1 for one in changes], dtype=bool)
    kind_of, first = _numbered(np.packbits(inside, axis=0).T)
    lengths = np.diff(np.append(starts, LIMIT))
    all_kinds = np.repeat(kind_of, lengths).reshape(-1, PAGE)
    pages, examples = _numbered(all_kinds)
    masks = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in inside[:, first]]
    return Partition(pages, all_kinds[examples].reshape(-1), masks, len(first))


def _numbered(rows: Any) -> tuple[CharacterKinds, list[int]]:
    """Return the number of each row, the same for equal rows, and the first row of each number."""
    data, size = np.ascontiguousarray(rows).tobytes(), rows.itemsize * rows.shape[1]
    numbers: dict[bytes, int] = {}
    numbered = [numbers.setdefault(data[at : at + size], len(numbers)) for at in range(0, len(data), size)]
    first = dict(zip(reversed(numbered), range(len(numbered) - 1, -1, -1), strict=True))
    return np.array(numbered, np.uint16), [first[number] for number in range(len(numbers))]


def _begins(values: Changes) -> Flags:
    """Return which of some sorted values differ from the previous value."""
    begins = np.ones(len(values), dtype=bool)
    begins[1:] = values[1:] != values[:-1]
    return begins


def _odd(values: Changes) -> Changes:
    """Return the values that occur an odd number of times, sorted."""
    values = np.sort(values)
    first = np.flatnonzero(_begins(values))
    odd: Changes = values[first[np.diff(np.append(first, len(values))) % 2 == 1]]
    return odd


@cache
def members(one: CharacterClass) -> Changes:
    """Return the set of characters of a class."""
    if one.flags & re.IGNORECASE:
        return _ignoring_case(one)
    changes = _union([_item_members(item, one.flags) for item in one.items])
    return _complement(changes) if one.negated else changes


def _item_members(item: Item, flags: int) -> Changes:
    if isinstance(item, str):
        return _category(item, flags & re.ASCII)
    first, last = item if isinstance(item, tuple) else (item, item)
    return np.array([first, last + 1], dtype=np.int64)


@cache
def _category(name: str, flags: int) -> Changes:
    pattern = CATEGORIES[name]
    if "NOT" not in name:  # the capital letters find their longer spans faster
        return _complement(_category(name.replace("CATEGORY_", "CATEGORY_NOT_"), flags))
    spans = [at for match in re.compile(f"{pattern}+", flags).finditer(_every_character()) for at in match.span()]
    return np.array(spans, dtype=np.int64)


def _every_character() -> str:
    """Return a text of 4 MB, which is made again for each of a few uses: processes that read live long."""
    return np.arange(LIMIT, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _union(sets: Sequence[Changes]) -> Changes:
    if len(sets) == 1:
        return sets[0]
    if not sets:
        return np.zeros(0, np.int64)
    starts, ends = (np.concatenate([one[side::2] for one in sets]) for side in (0, 1))
    points = np.concatenate([starts, ends])
    order = np.lexsort((np.repeat([0, 1], len(starts)), points))  # where sets touch, one opens first
    depth = np.cumsum(np.where(order < len(starts), 1, -1))
    changes = points[order][(depth == 0) | ((depth == 1) & (order < len(starts)))]
    union: Changes = changes.astype(np.int64)
    return union


def _complement(changes: Changes) -> Changes:
    ends = np.array([0, LIMIT], dtype=np.int64)
    return _odd(np.concatenate([ends, changes]))


def _ignoring_case(one: CharacterClass) -> Changes:
    """Return the characters of a class that ignores case: `re` decides on characters that have a case."""
    plain = members(one._replace(flags=one.flags & ~re.IGNORECASE))
    text, codes = cased_characters()
    pattern = re.compile(class_pattern(one), one.flags)
    inside = np.zeros(len(codes), dtype=bool)
    inside[[match.start() for match in pattern.finditer(text)]] = True
    was_inside = (np.searchsorted(plain, codes, side="right") & 1).astype(bool)
    changed = codes[inside != was_inside]
    return _odd(np.concatenate([plain, changed, changed + 1]))


@cache
def cased_characters() -> tuple[str, Changes]:
    """Return all characters for which upper, lower, title or folded case differ, and their code points."""
    text = _every_character()
    blocks = (text[at : at + _BLOCK] for at in range(0, LIMIT, _BLOCK))
    cased = "".join(char for block in blocks if _has_case(block) for char in block if _has_case(char))
    return cased, np.array([*map(ord, cased)], dtype=np.int64)


def _has_case(text: str) -> bool:
    return not text.lower() == text.upper() == text.title() == text.casefold() == text


def class_pattern(one: CharacterClass) -> str:
    """Return a class as a pattern for `re`."""
    return f"[{'^' if one.negated else ''}{''.join(map(_item_pattern, one.items))}]"


def _item_pattern(item: Item) -> str:
    if isinstance(item, str):
        return CATEGORIES[item]
    if isinstance(item, tuple):
        return "-".join(map(_escaped, item))
    return _escaped(item)


def _escaped(code_point: int) -> str:
    return f"\\U{code_point:08x}"


def folded(codes: Iterable[int]) -> list[int]:
    """Return the code points that stand for some others where case is ignored, as `re` compares them."""
    return [ord(chr(code).lower()[0]) for code in codes]


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
