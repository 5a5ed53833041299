"""Passages of two submissions, their weight, and blocks: passages with small insertions between them.

This module loads no kernel.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

from fingerprint.ranking.score_constants import RARITY_EXPONENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fingerprint.types import PassageRows


class Passage(NamedTuple):
    """A run of `tokens` equal tokens in a left and a right file.

    Files are numbered through the cohort, tokens within their file. `submissions`: how many submissions of
    the cohort contain its rarest k-gram, and so at most the whole passage. A `common` passage is common code:
    no share counts it.
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


# Passages are in one block if at most so many tokens are between them, on either side: a few lines. Functions
# that were moved are in blocks of their own.
MAX_GAP = 40


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


def group_passages(passages: Iterable[P]) -> list[list[P]]:
    """Return the blocks of the passages of a pair, which do not overlap, each in the order of its tokens.

    Two passages are neighbours in a block if they follow each other in the same files on both sides, with no
    other passage and at most MAX_GAP tokens between them. The blocks are in the order of the left side.
    """
    by_left = sorted(passages, key=lambda passage: (passage.left_file, passage.left_token))
    by_right = sorted(range(len(by_left)), key=lambda at: (by_left[at].right_file, by_left[at].right_token))
    next_on_right = dict(pairwise(by_right))
    blocks = [[passage] for passage in by_left[:1]]
    for at, (before, after) in enumerate(pairwise(by_left)):
        if next_on_right.get(at) == at + 1 and _is_near(before, after):
            blocks[-1].append(after)
        else:
            blocks.append([after])
    return blocks


def _is_near(before: PassageLike, after: PassageLike) -> bool:
    if (before.left_file, before.right_file) != (after.left_file, after.right_file):
        return False
    left = after.left_token - before.left_token - before.tokens
    right = after.right_token - before.right_token - before.tokens
    return max(left, right) <= MAX_GAP


def moved_blocks(blocks: Sequence[Sequence[PassageLike]]) -> int:
    """Return how many blocks stand in another order: those outside the longest series in one order.

    The longest series is the one with the most tokens. `blocks` are in the order of the left side.
    """
    # The best series that ends at a place on the right or before it, by place; both columns rise.
    places: list[tuple[int, int]] = []
    series: list[tuple[int, int]] = []
    for block in blocks:
        place = block[0].right_file, block[0].right_token
        at = bisect_left(places, place)
        tokens, count = series[at - 1] if at else (0, 0)
        longer = tokens + sum(passage.tokens for passage in block), count + 1
        after = at
        while after < len(series) and series[after] <= longer:
            after += 1
        places[at:after], series[at:after] = [place], [longer]
    return len(blocks) - (series[-1][1] if series else 0)
