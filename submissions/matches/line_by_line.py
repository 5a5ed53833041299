"""Two files line by line: lines that match in one order side by side, and parts that were moved beside those.

Lines match by the kinds of their tokens, so that a copy with other names lines up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.matches.differences import LITERAL
from submissions.matches.source_html import line_starts

if TYPE_CHECKING:
    from fingerprint.engine import TokenStream
    from fingerprint.kernels.types import Ids

# Lines of each side that a page shows, and characters of a line: aligning takes the square of the lines.
MAX_LINES, MAX_CHARACTERS = 1_500, 300
# What a pair of lines counts in an alignment, and how much more if they are written alike.
ALIKE, WRITTEN_ALIKE = 16, 1
# Series of lines in another order that are looked for, and the tokens and lines of a part that was moved.
MOVED_SERIES, LEAST_MOVED_TOKENS, LEAST_MOVED_LINES = 6, 20, 2
LEXEME = re.compile(r"\"[^\"]*\"|'[^']*'|[^\W\d]\w*|\d[\w.]*|[^\w\s]")


class DiffRow(NamedTuple):
    """A line of each side with its number, from 1; 0 and "" where a side has none.

    `kind`: `same`; `renamed`, the same but for names, values and layout; `changed`, with most words in both; `apart`
    for others beside each other; `left` or `right` for a line of one side only. A `moved` row has a right line from
    elsewhere. A row of the kind `elsewhere` stands where such lines were: it has the first and the last of them as
    `right_number` and `right_last`, and as `left_number` the line that the first of them stands beside.
    """

    left_number: int
    left: str
    right_number: int
    right: str
    kind: str
    moved: bool = False
    right_last: int = 0


class Diff(NamedTuple):
    """Aligned lines, and how many lines of each side are not shown.

    Of lines that are not blank, `identical` and `renamed` are in rows of that kind, on each side; `others`
    counts all others, of both sides; they may be beside one that is written otherwise.
    """

    rows: list[DiffRow]
    identical: int
    renamed: int
    others: int
    left_more: int
    right_more: int


class _Side(NamedTuple):
    """The shown lines of a side, what they are but for names, and the number of their tokens."""

    lines: list[str]
    keys: list[object]
    sizes: list[int]

    @classmethod
    def of(cls, lines: Sequence[str], kinds: Sequence[tuple[int, ...]]) -> _Side:
        """Return the first MAX_LINES lines without white space at their ends; `kinds`: see `diff`."""
        shown = [line.rstrip() for line in lines[:MAX_LINES]]
        of_lines = [*kinds[: len(shown)], *[()] * (len(shown) - len(kinds))]
        keys: list[object] = [one or "".join(line.split()) for one, line in zip(of_lines, shown, strict=True)]
        return cls(shown, keys, list(map(len, of_lines)))


def kinds_of_lines(text: str, tokens: TokenStream) -> list[tuple[int, ...]]:
    """Return the kinds of the tokens that begin on each line of a text."""
    starts = line_starts(text)
    kinds: list[list[int]] = [[] for _ in starts]
    lines = np.searchsorted(np.asarray(starts), tokens.starts, side="right") - 1
    for line, kind in zip(lines.tolist(), tokens.kinds.tolist(), strict=True):
        kinds[line].append(kind)
    return list(map(tuple, kinds))


def diff(
    left: Sequence[str],
    right: Sequence[str],
    left_kinds: Sequence[tuple[int, ...]] = (),
    right_kinds: Sequence[tuple[int, ...]] = (),
    heads: Sequence[Sequence[int]] = ((), ()),
) -> Diff:
    """Align the first MAX_LINES lines of two texts: what matches in one order, then parts that were moved.

    Lines match whose tokens have the same kinds, see `kinds_of_lines`; lines without tokens match if their
    text is the same but for white space. `heads`: the lines above the cells of notebooks, which are not counted.
    """
    sides, above_cells = (_Side.of(left, left_kinds), _Side.of(right, right_kinds)), frozenset(heads[0])
    in_order = _longest_series(sides, [range(len(side.lines)) for side in sides])
    moved = _moved_lines(sides, in_order)
    if ends := _ends_of_parts(sides, in_order, moved):
        moved |= ends
        is_moved = {*moved}, {*moved.values()}
        both = zip(sides, is_moved, strict=True)
        in_order = _longest_series(sides, [[at for at in range(len(side.lines)) if at not in of] for side, of in both])
    rows = list(_rows(sides, in_order, moved))
    counted = (row.kind for row in rows if row.left and row.left_number not in above_cells)
    counts = Counter(kind for kind in counted if kind in {"same", "renamed"})
    lines = sum(bool(line) for side in sides for line in side.lines)
    lines -= sum(head <= MAX_LINES for of_side in heads for head in of_side)
    figures = counts["same"], counts["renamed"], lines - 2 * counts.total()
    return Diff(rows, *figures, *(max(0, len(side) - MAX_LINES) for side in (left, right)))


def _longest_series(sides: tuple[_Side, _Side], places: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the pairs of lines, of these places on each side, that match in one order and count most."""
    keys = _numbers([side.keys for side in sides], places)
    texts = _numbers([side.lines for side in sides], places)
    best = np.zeros((len(keys[0]) + 1, len(keys[1]) + 1), dtype=np.int32)
    for row, at in enumerate(places[0]):
        gain = (keys[1] == keys[0][row]) * (ALIKE + WRITTEN_ALIKE * (texts[1] == texts[0][row]))
        gain *= bool(sides[0].lines[at])
        np.maximum.accumulate(np.maximum(best[row, 1:], best[row, :-1] + gain), out=best[row + 1, 1:])
    series = []
    row, column = len(keys[0]), len(keys[1])
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            series.append((places[0][row], places[1][column]))
    return series[::-1]


def _numbers(columns: Sequence[Sequence[object]], places: Sequence[Sequence[int]]) -> list[Ids]:
    """Return a number for each of some values of both sides, the same for equal ones."""
    numbers: dict[object, int] = {}
    return [
        np.array([numbers.setdefault(column[at], len(numbers)) for at in some], dtype=np.int32)
        for column, some in zip(columns, places, strict=True)
    ]


def _moved_lines(sides: tuple[_Side, _Side], in_order: list[tuple[int, int]]) -> dict[int, int]:
    """Return the right line of each left line of the parts that both sides have in another order."""
    moved: dict[int, int] = {}
    for _ in range(MOVED_SERIES):
        done = [{pair[side] for pair in (*in_order, *moved.items())} for side in (0, 1)]
        places = [
            [at for at, line in enumerate(side.lines) if line and at not in of_side]
            for side, of_side in zip(sides, done, strict=True)
        ]
        runs = _runs(sides, _longest_series(sides, places))
        if not (found := [run for run in runs if _is_part(sides[0], run)]):
            break
        for run in found:
            moved.update(run)
            for one, other in pairwise(run):  # blank lines
                moved.update(zip(range(one[0] + 1, other[0]), range(one[1] + 1, other[1]), strict=False))
    return moved


def _ends_of_parts(
    sides: tuple[_Side, _Side], in_order: list[tuple[int, int]], moved: dict[int, int]
) -> dict[int, int]:
    """Return the lines next to moved parts that match, too, and of which none but a lone other one matches in order."""
    lone = {run[0] for run in _runs(sides, in_order) if len(run) == 1}
    alike = {(at, other) for at, other in lone if sides[0].lines[at] == sides[1].lines[other]}
    taken = [{pair[side] for pair in {*in_order, *moved.items()} - (lone - alike)} for side in (0, 1)]
    near = {at + step: other + step for at, other in moved.items() for step in (-1, 1)}
    free = {
        other: at
        for at, other in near.items()
        if at not in taken[0] and other not in taken[1]
        and 0 <= at < len(sides[0].lines) and 0 <= other < len(sides[1].lines)
        and sides[0].sizes[at] and sides[0].keys[at] == sides[1].keys[other]
    }  # fmt: skip
    return {at: other for other, at in free.items()}


def _is_part(side: _Side, run: list[tuple[int, int]]) -> bool:
    return len(run) >= LEAST_MOVED_LINES and sum(side.sizes[at] for at, _ in run) >= LEAST_MOVED_TOKENS


def _runs(sides: tuple[_Side, _Side], series: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the runs of a series in which no line that is not blank is between two neighbours."""
    runs: list[list[tuple[int, int]]] = []
    for pair in series:
        before = runs[-1][-1] if runs else None
        if before and not any(
            any(side.lines[one + 1 : other]) for side, one, other in zip(sides, before, pair, strict=True)
        ):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    return runs


def _rows(sides: tuple[_Side, _Side], in_order: list[tuple[int, int]], moved: dict[int, int]) -> Iterator[DiffRow]:
    """Yield the rows of all lines; those that do not match are beside each other as far as there are any.

    No line with tokens is beside one without.
    """
    beside = {other: at for at, other in moved.items()}
    first, other_first = 0, 0
    for at, other in [*in_order, (len(sides[0].lines), len(sides[1].lines))]:
        others = [*_right_items(sides, range(other_first, other), beside)][::-1]
        for left in range(first, at):
            if left in moved:
                yield _row(sides, left, moved[left], moved=True)
                continue
            is_code = bool(sides[0].sizes[left])
            while others and (others[-1].kind == "elsewhere" or (is_code and not _has_tokens(sides, others[-1]))):
                yield others.pop()
            is_beside = others and is_code == _has_tokens(sides, others[-1])
            yield _row(sides, left, others.pop().right_number - 1 if is_beside else None)
        yield from others[::-1]
        if at < len(sides[0].lines):
            yield _row(sides, at, other)
        first, other_first = at + 1, other + 1


def _has_tokens(sides: tuple[_Side, _Side], row: DiffRow) -> bool:
    return bool(sides[1].sizes[row.right_number - 1])


def _right_items(sides: tuple[_Side, _Side], lines: range, beside: dict[int, int]) -> Iterator[DiffRow]:
    """Yield the rows of right lines alone, and one in place of each part that is beside lines of the left."""
    first = None
    for line in lines:
        if line not in beside:
            yield _row(sides, None, line)
            continue
        first = line if first is None else first
        if line + 1 not in lines or beside.get(line + 1) != beside[line] + 1:
            yield DiffRow(beside[first] + 1, "", first + 1, "", "elsewhere", right_last=line + 1)
            first = None


def _row(sides: tuple[_Side, _Side], at: int | None, other: int | None, *, moved: bool = False) -> DiffRow:
    cells = (*_cell(sides[0].lines, at), *_cell(sides[1].lines, other))
    if at is None or other is None:
        return DiffRow(*cells, "right" if at is None else "left")
    line, other_line = sides[0].lines[at], sides[1].lines[other]
    if line == other_line:
        kind = "same"
    elif sides[0].keys[at] == sides[1].keys[other] and _folded(line) == _folded(other_line):
        kind = "renamed"
    else:
        words = [{one[0] for one in _words(text) if one[0][-1].isalnum()} for text in (line, other_line)]
        kind = "changed" if 2 * len(words[0] & words[1]) > max(map(len, words)) else "apart"
    return DiffRow(*cells, kind, moved)


def _words(line: str) -> list[re.Match[str]]:
    """Return the words and signs of a line; a curly bracket at an end of it is layout."""
    return [*LEXEME.finditer(line, len(line) - len(line.lstrip(" \t{}")), len(line.rstrip(" \t{}")))]


def _folded(line: str) -> list[str]:
    """Return the words and signs of a line, with all names, and all values, alike."""
    texts = [one[0] for one in _words(line)]
    return ["n" if one[0].isalpha() or one[0] == "_" else "1" if LITERAL.match(one) else one for one in texts]


def differing_words(row: DiffRow) -> list[list[tuple[int, int]]]:
    """Return the characters [start, end) of words that are not in the other line, of each side.

    In a renamed row, they are not in the same place there; only renamed and changed rows have any.
    """
    lines = (row.left, row.right) if row.kind in {"renamed", "changed"} else ("", "")
    sides = [[(one, at * (row.kind == "renamed")) for at, one in enumerate(_words(line))] for line in lines]
    texts = [{(one[0], place) for one, place in side} for side in sides]
    return [
        [one.span() for one, place in side if (one[0], place) not in other]
        for side, other in zip(sides, texts[::-1], strict=True)
    ]


def _cell(lines: Sequence[str], index: int | None) -> tuple[int, str]:
    return (0, "") if index is None else (index + 1, lines[index][:MAX_CHARACTERS])
