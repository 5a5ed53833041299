"""Passages of two submissions, their weight, and blocks: passages with small insertions between them.

Passages of many pairs are arrays: a pair of projects has hundreds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Bounds, Ids, PassageRows, Positions, Rows, Runs
from fingerprint.ranking.alignment import CohortTokens, slice_submission, trim_tiles
from fingerprint.ranking.parallel import Check, never_end, run_chunks
from fingerprint.ranking.score_constants import RARITY_EXPONENT
from fingerprint.ranking.tiling import change_left, cohort_workspace, tile_pair

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort

CohortArrays = tuple[CohortTokens, Bounds, Ids]

# Passages are in one block if at most so many tokens are between them, on either side: a few lines. More may
# be where each of both is as long.
MAX_GAP = 40
# Two programs have shorter runs in common by chance: those elsewhere on the other side divide no block.
LEAST_MOVED_TOKENS = 20

INITIAL_ROWS = 1024
# 117 MB; the 7,140 pairs of 120 projects have 2.8 million.
MOST_ROWS = 1 << 22


class Passage(NamedTuple):
    """A run of `tokens` equal tokens in a left and a right file.

    Files are numbered through the cohort, tokens within their file. `submissions`: how many submissions of the cohort
    contain its rarest k-gram, and so at most the whole passage. A `common` passage is common code: no share counts it.
    """

    left_file: int
    left_token: int
    right_file: int
    right_token: int
    tokens: int
    submissions: int
    common: bool = False

    @property
    def exchanged(self) -> Self:
        """The same passage with left and right exchanged."""
        return self._replace(
            left_file=self.right_file,
            left_token=self.right_token,
            right_file=self.left_file,
            right_token=self.left_token,
        )


def as_passages(rows: PassageRows) -> list[Passage]:
    """Return passages that are the rows of an array, int32 [n, 7]."""
    return [Passage(a, x, b, y, n, submissions, bool(c)) for a, x, b, y, n, submissions, c in rows.tolist()]


def exchange_sides(rows: PassageRows) -> PassageRows:
    """Return such rows with left and right exchanged."""
    columns: PassageRows = rows[:, [2, 3, 0, 1, 4, 5, 6]]
    return columns


def passage_weight(tokens: int, submissions: int) -> float:
    """Return the weight in the score of `tokens` tokens that `submissions` submissions contain."""
    return float(tokens * max(submissions - 1, 1) ** -RARITY_EXPONENT)


class PassageLike(Protocol):
    """`tokens` equal tokens of a left and a right file."""

    @property
    def left_file(self) -> int: ...
    @property
    def left_token(self) -> int: ...
    @property
    def right_file(self) -> int: ...
    @property
    def right_token(self) -> int: ...
    @property
    def tokens(self) -> int: ...


P = TypeVar("P", bound=PassageLike)

# Where a passage begins on each side: its file, and the token in it.
PLACES = attrgetter("left_file", "left_token"), attrgetter("right_file", "right_token")


def group_passages(passages: Iterable[P]) -> list[list[P]]:
    """Return the blocks of the passages of a pair, which do not overlap, each in the order of its tokens.

    Two passages are in one block if they follow each other in the same files on both sides, with a gap that
    `_is_near` allows and no other passage between. Blocks in the heaviest series of two files are joined too
    where only blocks of fewer than LEAST_MOVED_TOKENS tokens are between. They are in the order of the left.
    """
    singles = [[one] for one in sorted(passages, key=PLACES[0])]
    parts = _join(singles, singles)
    large = [part for part in parts if _tokens(part) >= LEAST_MOVED_TOKENS]
    by_files: dict[tuple[int, int], list[list[P]]] = {}
    for part in parts:
        by_files.setdefault((part[0].left_file, part[0].right_file), []).append(part)
    blocks: list[list[P]] = []
    for of_files in by_files.values():
        series = {*_heaviest_series(of_files)}
        blocks += _join([of_files[at] for at in sorted(series)], large)
        blocks += [part for at, part in enumerate(of_files) if at not in series]
    return sorted(blocks, key=lambda block: PLACES[0](block[0]))


def _join(parts: list[list[P]], others: list[list[P]]) -> list[list[P]]:
    """Join parts, in the order of the left side, until no two are near with none of `others` between."""
    places = [sorted(place(one[0]) for one in others) for place in PLACES]
    joined: list[list[P]] = []
    for part in map(list, parts):
        joined.append(part)
        while len(joined) > 1 and _is_near(joined[-2], joined[-1], places):
            last = joined.pop()
            joined[-1] += last
    return joined


def _is_near(
    before: Sequence[PassageLike], after: Sequence[PassageLike], places: Sequence[list[tuple[int, int]]]
) -> bool:
    """Return whether parts follow each other in the same files, where nothing begins at `places` between them.

    Neither side has more than MAX_GAP tokens between, or than the smaller of both has.
    """
    gap = 0
    for place, of_side in zip(PLACES, places, strict=True):
        first, last = place(before[-1]), place(after[0])
        if first[0] != last[0] or first > last or bisect_right(of_side, first) != bisect_left(of_side, last):
            return False
        gap = max(gap, last[1] - first[1] - before[-1].tokens)
    sums = (accumulate(one.tokens for one in part) for part in (before, after))
    return gap <= MAX_GAP or all(any(tokens >= gap for tokens in of_part) for of_part in sums)


def moved_blocks(blocks: Sequence[Sequence[P]]) -> list[Sequence[P]]:
    """Return the blocks that were moved: to another file, or within their file.

    Two files with the most tokens in blocks belong together, then two of the others, and so on; a block that
    joins files that do not is in another file. Within two files, a block was moved that is outside the series
    in one order with the most tokens. `blocks` are in the order of the left side.
    """
    by_files: dict[tuple[int, int], list[Sequence[P]]] = {}
    for block in blocks:
        by_files.setdefault((block[0].left_file, block[0].right_file), []).append(block)
    moved: list[Sequence[P]] = []
    seen = set[int](), set[int]()
    for left, right in sorted(by_files, key=lambda files: (-sum(map(_tokens, by_files[files])), files)):
        of_files = by_files[left, right]
        belong = left not in seen[0] and right not in seen[1]
        series = {*_heaviest_series(of_files)} if belong else set[int]()
        moved += [block for number, block in enumerate(of_files) if number not in series]
        if belong:
            seen[0].add(left)
            seen[1].add(right)
    return moved


def _tokens(block: Sequence[PassageLike]) -> int:
    return sum(passage.tokens for passage in block)


def _heaviest_series(blocks: Sequence[Sequence[PassageLike]]) -> list[int]:
    """Return which blocks of two files, in the order of the left, have most tokens in one order of both."""
    # The best series that ends at a place on the right or before it, by place; both columns rise.
    places: list[int] = []
    series: list[tuple[int, int, int]] = []
    previous: list[int] = []
    for number, block in enumerate(blocks):
        at = bisect_left(places, block[0].right_token)
        tokens, count, last = series[at - 1] if at else (0, 0, -1)
        previous.append(last)
        longer = tokens + _tokens(block), count + 1, number
        after = at
        while after < len(series) and series[after][:2] <= longer[:2]:
            after += 1
        places[at:after], series[at:after] = [block[0].right_token], [longer]
    chosen = [series[-1][2]]
    while previous[chosen[-1]] >= 0:
        chosen.append(previous[chosen[-1]])
    return chosen


COLUMNS = len(Passage._fields)


class PairPassages(NamedTuple):
    """Passages of n pairs: those of pair i are `rows[starts[i]:starts[i + 1]]`.

    `rows` int32 [p, 7]: a column for each field of `Passage`; of every pair the longest passage is first, the
    common ones are last. `starts` int64 [n + 1].
    """

    rows: PassageRows
    starts: Bounds

    def of(self, pair: int) -> PassageRows:
        return self.rows[self.starts[pair] : self.starts[pair + 1]]

    def parts(self) -> list[PassageRows]:
        """Return the rows of each pair."""
        return np.split(self.rows, self.starts[1:-1])[: len(self.starts) - 1]

    @classmethod
    def from_rows(cls, rows: Sequence[PassageRows]) -> PairPassages:
        """Return pairs with the given rows each."""
        starts = np.concatenate(([0], np.cumsum([len(part) for part in rows], dtype=np.int64)))
        return cls(np.concatenate([np.empty((0, COLUMNS), dtype=np.int32), *rows]), starts)


class KnownPassages:
    """The rows of pairs that are scored or aligned, by both submissions: for whoever aligns some of the pairs later.

    So pairs of projects are tiled once. Pairs are added until there are MOST_ROWS rows.
    """

    def __init__(self, before: KnownPassages | None = None) -> None:
        self.rows: dict[tuple[int, int], PassageRows] = {} if before is None else before.rows.copy()
        self._count = sum(map(len, self.rows.values()))

    @property
    def has_room(self) -> bool:
        return self._count < MOST_ROWS

    def add(self, pairs: Rows, rows: PassageRows, counts: Positions) -> None:
        """Add the rows of pairs, int64 [n, 2]: so many of each. Threads may do so at the same time."""
        self._count += len(rows)
        parts = np.split(rows, np.cumsum(counts)[:-1])
        self.rows.update(zip(sides_of(pairs), parts, strict=True))


@njit
def _rarest(frequency: Ids, start: int, length: int, k: int) -> int:
    """Return how many submissions contain the rarest k-gram of a run, and so at most the whole run."""
    least = frequency[start]
    for at in range(start + 1, start + length - k + 1):
        least = min(least, frequency[at])
    return int(least)


@njit
def _longer_rows(rows: PassageRows, count: int) -> PassageRows:
    """Return the rows with room for `count` of them, at least twice as much as before."""
    longer = np.empty((max(count, 2 * len(rows)), COLUMNS), dtype=np.int32)
    for at in range(len(rows)):
        for column in range(COLUMNS):
            longer[at, column] = rows[at, column]
    return longer


@njit
def _write_runs(
    runs: Runs, cohort: CohortArrays, sides: tuple[int, int], kind: tuple[int, int], rows: PassageRows
) -> None:
    """Write runs, given by left token, as rows, longest first; `kind` is k and whether they are common."""
    indexed, file_starts, frequency = cohort
    submission_starts = indexed.submission_starts
    k, common = kind
    order = np.argsort(-runs[:, 2], kind="mergesort")
    for at in range(len(runs)):
        a, b, length = runs[order[at]]
        left, right = submission_starts[sides[0]] + a, submission_starts[sides[1]] + b
        left_file = np.searchsorted(file_starts, left, side="right") - 1
        right_file = np.searchsorted(file_starts, right, side="right") - 1
        rows[at, 0], rows[at, 1] = left_file, left - file_starts[left_file]
        rows[at, 2], rows[at, 3] = right_file, right - file_starts[right_file]
        rows[at, 4], rows[at, 5], rows[at, 6] = length, _rarest(frequency, left, length, k), common


@njit
def append_runs(
    rows: PassageRows, count: int, found: tuple[Runs, Runs], cohort: CohortArrays, pair: tuple[tuple[int, int], int]
) -> tuple[PassageRows, int]:
    """Write the passages and common ones of a pair, with k, after `count` rows; return the rows and their number."""
    (passages, common), (sides, k) = found, pair
    middle, end = count + len(passages), count + len(passages) + len(common)
    if end > len(rows):
        rows = _longer_rows(rows, end)
    _write_runs(passages, cohort, sides, (k, 0), rows[count:middle])
    _write_runs(common, cohort, sides, (k, 1), rows[middle:end])
    return rows, end


@kernel
def _align(cohort: CohortArrays, pairs: Rows, k: int, distinct: tuple[int, int], counts: Positions) -> PassageRows:
    """Return the rows of all passages of the pairs, and fill `counts` with how many each pair has."""
    indexed = cohort[0]
    space, entered = cohort_workspace(indexed, distinct), -1
    rows, count = np.empty((INITIAL_ROWS, COLUMNS), dtype=np.int32), 0
    for pair in range(len(pairs)):
        sides = pairs[pair, 0], pairs[pair, 1]
        left, right = slice_submission(indexed, sides[0]), slice_submission(indexed, sides[1])
        entered = change_left(space, indexed, entered, sides[0])
        found = trim_tiles(tile_pair(left, right, k, space), left, right, k)
        rows, end = append_runs(rows, count, found, cohort, (sides, k))
        counts[pair], count = end - count, end
    return rows[:count].copy()


def align_pairs(
    cohort: Cohort, pairs: Rows, check: Check = never_end, known: KnownPassages | None = None
) -> PairPassages:
    """Return the passages of pairs of submissions (int64 [n, 2]), on all cores; `check` as for `run_chunks`.

    A passage is a run of at least k equal tokens. It is as long as the tokens, the lines and the longer
    passages allow, see `trim_tiles`. Equally long ones are sorted by left token. Known pairs are not aligned again.
    """
    found, sides = KnownPassages(known), sides_of(pairs)
    arrays = cohort.indexed, cohort.file_starts, cohort.frequency
    others = pairs[np.array([one not in found.rows for one in sides], dtype=np.bool_)]

    def align(part: slice) -> None:
        counts = np.zeros(len(others[part]), dtype=np.int64)
        rows = _align(arrays, others[part], cohort.k, cohort.distinct, counts)
        found.add(others[part], rows, counts)

    run_chunks(cohort, others, align, check)
    return PairPassages.from_rows([found.rows[one] for one in sides])


def sides_of(pairs: Rows) -> list[tuple[int, int]]:
    return [(left, right) for left, right in pairs.tolist()]
