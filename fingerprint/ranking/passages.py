"""A passage of two submissions, and what it weighs. Loads no kernel."""

from __future__ import annotations

from typing import NamedTuple

from fingerprint.ranking.score_constants import RARITY_EXPONENT


class Passage(NamedTuple):
    """`tokens` equal tokens of two files: file numbers count over the cohort, tokens within their file.

    `submissions`: how many submissions of the cohort hold its rarest k-gram, and so at most all of it.
    """

    left_file: int
    left_token: int
    right_file: int
    right_token: int
    tokens: int
    submissions: int


def passage_weight(tokens: int, submissions: int) -> float:
    """Return the weight of `tokens` tokens that `submissions` submissions hold, as the score weighs them."""
    return float(tokens * max(submissions - 1, 1) ** -RARITY_EXPONENT)
