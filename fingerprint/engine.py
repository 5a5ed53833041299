"""The few verbs that an application calls: read a file, fingerprint it, rank a cohort, draw a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.hashing import kgram_hashes
from fingerprint.index import Candidates, InvertedIndex
from fingerprint.languages.lexical_terms import Lexical
from fingerprint.params import Params
from fingerprint.ranking.candidates import FLOOR, weighted_pairs
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.terms import LexicalTable
from fingerprint.ranking.threshold import SAMPLE, Suggestion, sample, suggest
from fingerprint.ranking.tiling import passages
from fingerprint.ranking.upper_bounds import leading
from fingerprint.winnowing import robust_winnow

if TYPE_CHECKING:
    from fingerprint.hashing import Hashes
    from fingerprint.index import Owners
    from fingerprint.tokens import Kinds
    from fingerprint.winnowing import Positions


class Fingerprints(NamedTuple):
    """Positional fingerprints of one document: parallel arrays, by position.

    `hashes` uint64; `positions` int64, each the index of the first token of its k-gram.
    """

    hashes: Hashes
    positions: Positions


class Passage(NamedTuple):
    """`tokens` equal tokens of two files: file numbers count over the cohort, tokens within their file.

    `submissions`: how many of the cohort hold the rarest k-gram of it, and so at most all of it.
    """

    left_file: int
    left_token: int
    right_file: int
    right_token: int
    tokens: int
    submissions: int


def fingerprints(kinds: Kinds, params: Params) -> Fingerprints:
    """Fingerprint a document by robust winnowing of its k-gram hashes (sections 2.2 and 5.1)."""
    hashes = kgram_hashes(kinds, params.k)
    positions = robust_winnow(hashes, params.window)
    return Fingerprints(hashes[positions], positions)


def candidates(cohort: Cohort, hashes: Hashes, owners: Owners, floor: float = FLOOR) -> Candidates:
    """Pairs of submissions that share at least `floor` of their fingerprints, by weight (see `FLOOR`).

    `hashes` and `owners` are the parallel arrays of all fingerprints of the cohort; those of boilerplate
    count nowhere.
    """
    counts = ~np.isin(hashes, cohort.boilerplate)
    return weighted_pairs(InvertedIndex.build(hashes[counts], owners[counts]), floor)


class Ranking(NamedTuple):
    """Pairs with their scores, best first, and where honest ones end; told from pairs shown or not."""

    pairs: Candidates
    scores: Scores
    threshold: Suggestion


def rank(
    cohort: Cohort, lexical: LexicalTable, prints: tuple[Hashes, Owners], show: int | None = None
) -> Ranking:
    """Score the candidate pairs of a cohort; the best `show` of them, ties in cohort order.

    With None, all that share a fingerprint, however little it weighs. Where more than `SAMPLE` pairs share
    enough, only those that may be among the best are scored, and a sample for the threshold.
    `prints` as `candidates` takes them.
    """
    found = candidates(cohort, *prints, 0.0 if show is None else FLOOR)
    count = len(found.left)
    if show is None or count <= max(show, SAMPLE):
        scores = score(cohort, lexical, found)
        told = scores.similarity
    else:
        told = score(cohort, lexical, found.take(sample(count))).similarity
        rows, scores = leading(cohort, lexical, found, max(show, 1))
        found = found.take(rows)
    order = np.lexsort((found.right, found.left, -scores.tokens, -scores.similarity))[:show]
    return Ranking(found.take(order), scores.take(order), suggest(told, count))


def draw(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Passages of two submissions of the cohort, longest first."""
    rows = passages(cohort.submission(left), cohort.submission(right), cohort.k)
    return [
        Passage(*cohort.locate(left, a), *cohort.locate(right, b), length, cohort.spread(left, a, length))
        for a, b, length in rows.tolist()
    ]


def warm() -> None:
    """Compile every kernel of a ranking into the cache, so that worker processes never race for it."""
    kinds = np.arange(30, dtype=np.uint64)
    prints = fingerprints(kinds, Params())
    cohort = Cohort.of([[kinds], [kinds]], Params().k, [kinds[:12]])
    lexical = LexicalTable.of([[Lexical(kinds, kinds)]] * 2)
    owners = np.repeat(np.arange(2, dtype=np.int32), len(prints.hashes))
    rank(cohort, lexical, (np.tile(prints.hashes, 2), owners))
    draw(cohort, 0, 1)
