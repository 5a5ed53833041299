"""Every constant of the score, with its reason. docs/score.md has the formula and what was measured."""

from __future__ import annotations

from typing import NamedTuple

# Raise it whenever the same cohort would get other similarities. Reports store it.
SCORE_VERSION = 1


class Norm(NamedTuple):
    """What a share is measured against: smaller * min(larger / smaller, ratio)**size.

    With `size` 0 that is the smaller side, with 1 the larger one. A size difference beyond `ratio` costs
    nothing more.
    """

    size: float
    ratio: float


# A k-gram in df submissions weighs (df - 1)**-RARITY_EXPONENT: what only the pair shares counts whole, in a
# cohort of any size, and a template that n submissions hold counts far less without vanishing.
RARITY_EXPONENT = 0.75
# Each of the n repeats of a k-gram in one submission weighs n**-REPEAT_EXPONENT, so that a table of numbers
# does not outweigh a program.
REPEAT_EXPONENT = 0.25

# Passages with at most this many tokens between them, on both sides, count as one with an insertion.
LONGEST_GAP = 15
# A passage of n tokens counts n / (n + HALF_LENGTH): one long passage says more than its tokens scattered.
HALF_LENGTH = 30.0

# Mostly the smaller side decides, so that a copy inside a larger program is found. The larger side has a say
# up to 2.5 times the size, so that small files do not match everything.
PASSAGE_NORM = Norm(0.55, 2.5)
LITERAL_NORM = Norm(1.0, 3.0)
NAME_NORM = Norm(0.0, 1.0)

# A literal is worth this many tokens, all literals at most LITERAL_CAP times the passages' evidence: a
# numeric program has few literals, a dialogue consists of them.
LITERAL_TOKENS, LITERAL_CAP = 5.0, 1.2
# Copiers change names first: renaming all of them costs at most 0.15 / 1.15 of a score.
NAME_TOKENS, NAME_CAP = 2.0, 0.15
# Changing every name and literal never takes a score below this part of what the passages say.
LEAST_PASSAGE_PART = 0.6

# From this many characters on a term counts whole: `i` and `0` are everybody's, a message is not.
WHOLE_TERM_CHARACTERS = 8
# Literals are evidence though a few others use them; a name that a third person uses is none.
LITERAL_RARITY_EXPONENT = 0.25
NAME_RARITY_EXPONENT = 1.0

# Equal pairs tie exactly, whatever rounding their place in the cohort brought.
DECIMALS = 9
