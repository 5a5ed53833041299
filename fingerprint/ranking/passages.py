"""A passage of two submissions, and its weight. This module loads no kernel."""

from __future__ import annotations

from typing import NamedTuple

from fingerprint.ranking.score_constants import RARITY_EXPONENT


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
    def exchanged(self) -> Passage:
        """The same passage with left and right exchanged."""
        return self._replace(
            left_file=self.right_file,
            left_token=self.right_token,
            right_file=self.left_file,
            right_token=self.left_token,
        )


def passage_weight(tokens: int, submissions: int) -> float:
    """Return the weight in the score of `tokens` tokens that `submissions` submissions contain."""
    return float(tokens * max(submissions - 1, 1) ** -RARITY_EXPONENT)
