"""Every constant of the score, with its reason. docs/score.md has the formula and the measurements."""

from __future__ import annotations

from typing import NamedTuple

# Raise it whenever the same cohort would get other similarities. Reports store it.
SCORE_VERSION = 1


class Norm(NamedTuple):
    """The size that a share is measured against: smaller * min(larger / smaller, max_ratio)**exponent.

    With `exponent` 0 that is the size of the smaller side, with 1 that of the larger side. Differences in
    size beyond `max_ratio` have no further effect.
    """

    exponent: float
    max_ratio: float


# A k-gram in df submissions weighs max(df - 1, 1)**-RARITY_EXPONENT. Code that only one pair shares has full
# weight in a cohort of any size; a template that n submissions contain weighs far less, but never nothing.
RARITY_EXPONENT = 0.75
# The weight of each of the n occurrences of a k-gram in one submission is multiplied by n**-REPEAT_EXPONENT,
# so that a table of numbers does not outweigh a program.
REPEAT_EXPONENT = 0.25

# Passages with at most this many tokens between them, on both sides, count as one passage with an insertion.
LONGEST_GAP = 15
# A passage of n tokens counts n / (n + HALF_LENGTH): one long passage is stronger evidence than its tokens
# scattered over short ones.
HALF_LENGTH = 30.0

# The smaller side has more influence, so that a copy inside a larger program is found. The larger side has
# some, up to 2.5 times the size of the smaller one, so that small files do not match everything.
PASSAGE_NORM = Norm(0.55, 2.5)
LITERAL_NORM = Norm(1.0, 3.0)
NAME_NORM = Norm(0.0, 1.0)

# A literal counts as much as this many tokens, all literals at most LITERAL_CAP times as much as passages: a
# numeric program has few literals, a dialogue consists of them.
LITERAL_TOKENS, LITERAL_CAP = 5.0, 1.2
# The same for names. Names are changed first in a copy: renaming all of them costs at most 0.15 / 1.15 of a
# score.
NAME_TOKENS, NAME_CAP = 2.0, 0.15
# Even if every name and literal is changed, a score is at least this part of the score by passages alone.
LEAST_PASSAGE_PART = 0.6

# A term of this many characters or more has full weight: `i` and `0` are in most programs, a message is not.
WHOLE_TERM_CHARACTERS = 8
# Literals that a few others use are still evidence; a name that a third submission uses is hardly any.
LITERAL_RARITY_EXPONENT = 0.25
NAME_RARITY_EXPONENT = 1.0

# Rounding makes equal pairs tie exactly: floating-point errors depend on the pair's position in the cohort.
DECIMALS = 9
