"""Every constant of the score, with its reason. docs/know/score.md has the formula and the measurements."""

from __future__ import annotations

from typing import NamedTuple

# Raise it whenever the same cohort would get other similarities. Reports store it.
SCORE_VERSION = 16


class Norm(NamedTuple):
    """The size that a share is measured against: smaller * min(ratio, max_ratio)**exponent.

    `ratio` is that of both sizes divided by `FREE_TERMS`, at least 1. With `exponent` 0 the norm is the size
    of the smaller side, with 1 nearly that of the larger side.
    """

    exponent: float
    max_ratio: float


class Evidence(NamedTuple):
    """Constants of one kind of terms: literals, names, imports or uses of names.

    share : what the shared terms, weighted by rarity, are measured against
    amount : size of both sides' terms together, from which the evidence gets its mass
    tokens : a term counts as much as this many tokens
    cap : all terms count at most this many times as much as the passages
    amount_by_rarity : whether rare terms add more to the amount than common ones
    """

    share: Norm
    amount: Norm
    tokens: float
    cap: float
    amount_by_rarity: bool = False


class PassageLengths(NamedTuple):
    """Numbers of tokens that decide how much the length of a passage counts.

    Across a gap of `gap_scale`, a neighbouring passage adds 1/e of its length; a passage of `half_length` counts half.
    """

    gap_scale: float
    half_length: float


# A k-gram in df submissions weighs max(df - 1, 1)**-RARITY_EXPONENT. Code that only one pair shares has full
# weight in a cohort of any size; a template that n submissions contain weighs less, but never nothing. The
# exponent is small enough that many copies of one program do not make it look like a template.
RARITY_EXPONENT = 0.5
# The same for a term: what everybody prints or imports says nothing about a pair.
TERM_RARITY_EXPONENT = 1.0
# A literal or a name that this part of all programs have weighs nothing: the task dictates it. Those that are
# related (`RELATED_PART`) count as one, so that many copies of one program dictate nothing.
DICTATED_PART = 0.5
# The weight of each of the n occurrences of a k-gram in one submission is multiplied by n**-REPEAT_EXPONENT,
# so that a table of similar statements does not outweigh a program; of literals see `table_tokens`.
REPEAT_EXPONENT = 0.25

# A passage with tokens between it and its neighbour counts as a continuation of it, the less the more tokens
# there are: by the factor 1 / e for each `gap_scale` tokens. Inserted statements are short, so are passages
# between which code was rewritten.
# A passage of n tokens counts n / (n + half_length): one long passage is stronger evidence than its tokens
# scattered over short ones.
LENGTHS = PassageLengths(gap_scale=30.0, half_length=50.0)

# Passages are measured against the smaller side, so that a copy inside a larger program is found, plus a part
# of what the larger side has beyond FREE_SIZE times as much: otherwise small files match everything. A side
# of up to twice the size counts as equally large, since anybody can append code to a copy. A rewritten
# program may be a fraction of the original, so no more than EXTRA_LIMIT tokens of the difference count.
FREE_SIZE, EXTRA_PART, EXTRA_LIMIT = 2.0, 0.5, 130.0
# Terms that are added with such code, up to a third of the smaller side's, cost nothing either.
FREE_TERMS = 4 / 3
# The exponent of a share's norm is multiplied by 1 - T**WHOLE_EXPONENT: where passages cover one side nearly
# whole, the terms that the other side has beside it say nothing against the copy.
WHOLE_EXPONENT = 8.0

# A numeric program has few literals, a dialogue consists of them.
LITERALS = Evidence(Norm(1.0, 10.0), Norm(1.0, 3.0), tokens=2.5, cap=1.0)
# Names are changed first in a copy: renaming all of them costs at most 0.2 / 1.2 of a score.
NAMES = Evidence(Norm(0.0, 1.0), Norm(0.0, 1.0), tokens=3.0, cap=0.2, amount_by_rarity=True)
# Imports and includes: their selection is a person's habit, and even who rewrites a program keeps it.
IMPORTS = Evidence(Norm(1.0, 10.0), Norm(0.0, 1.0), tokens=2.5, cap=0.5)
# Uses of names: what is done with a name is kept where it is renamed and where statements are added or moved.
# They weigh as rare k-grams do, and count where there is a passage.
USES = Evidence(Norm(0.5, 5.0), Norm(0.0, 1.0), tokens=2.0, cap=0.75)
# Even if every term is changed, a score is at least this part of the score by passages alone.
LEAST_PASSAGE_PART = 0.6
# Where all code, literals and imports are equal, only names were changed (`renamed_groups`): that is a fact,
# and no matter of degree. No higher threshold is suggested.
LEAST_RENAMED = 0.95
# Where literals were changed too, so many different k-grams leave little doubt (`Cohort.different_kgrams`), but
# not tokens: a script of similar statements equals any other one. Honest solutions of one task had 68 tokens.
LEAST_REWORDED, REWORDED_KGRAMS = 0.9, 100
# Without a passage, terms of weight w count w / (w + HALF_TERMS): one term in common may be chance.
HALF_TERMS = 1.0

# A term of this many characters or more has full weight: `i` and `0` are in most programs, a message is not.
WHOLE_TERM_CHARACTERS = 8

# Between languages: a literal counts as half a symbol, all literals at most 0.3 times as much as the symbols:
# messages and numbers that the task dictates are in honest programs too.
COARSE_LITERALS = Evidence(Norm(0.5, 3.0), Norm(0.5, 3.0), tokens=0.5, cap=0.3, amount_by_rarity=True)
# Passages of n symbols in all count n / (n + 4): two short programs have one loop in common. More would count
# twice what the lengths of passages do already, and no copy of a program of ten symbols would be found.
HALF_SYMBOLS = 4.0
# This much evidence is similarity 0.5; pairs of independent programs have at most half as much.
HALF_EVIDENCE = 0.42

# By default code is common that more than half of all programs contain, and more than this number.
# As in MOSS, ten submissions may copy from each other.
LEAST_COMMON, COMMON_PART = 10, 0.5
# A file is common code too that nearly all of a class have, and so many submissions, most of them beside code
# of their own: of so many tokens, and of so large a part of all such files. Fewer may have copied it.
LEAST_EQUAL, EQUAL_PART = 5, 0.8
LEAST_OWN, OWN_PART = 30, 0.25
# A cell of a notebook is boilerplate that so many submissions and more than half have marked as handed out.
LEAST_MARKED = 3
# Submissions are alike that share at least this part of the fingerprints of the heavier one, by weight.
ALIKE_PART = 0.5
# Copies that were rewritten share less, and still have their literals and names from one source.
RELATED_PART = 0.2

# Rounding makes equal pairs tie exactly: floating-point errors depend on the pair's position in the cohort.
DECIMALS = 9
