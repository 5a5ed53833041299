"""A passage of two submissions, and its weight. This module loads no kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from fingerprint.ranking.score_constants import RARITY_EXPONENT

if TYPE_CHECKING:
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
