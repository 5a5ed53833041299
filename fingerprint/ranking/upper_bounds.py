"""Find the best pairs of a cohort without scoring all: an upper bound of a pair's score is cheap.

Passages lie within the k-grams that both sides have. On either side, stretches of these with at most
`LONGEST_GAP` tokens between them form a cluster. A chain of passages lies within one cluster, so that neither
its weight nor its number of tokens exceeds the cluster's. What names and literals add is computed exactly.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.score_constants import LONGEST_GAP
from fingerprint.ranking.scoring import CHUNK, Scores, long, score, similarity_of

if TYPE_CHECKING:
    from fingerprint.index import Candidates
    from fingerprint.ranking.cohort import Cohort, Running
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Bounds, Flags, Floats, Ids, Rows

# Pairs scored before it is asked again whether another can be among the best.
BLOCK = CHUNK // 4
# Sums of the same weights in another order differ by far less.
SLACK = 1e-7


@njit
def _most(ids: Ids, first: int, running: Running, met: Flags, k: int) -> float:
    """Weight of the clusters of `met` k-grams on one side, as chains of passages count at most.

    `ids` are the side's k-grams, the first of which begins at token `first` of the cohort.
    """
    sums, own = running.weight, running.own
    total, weight, tokens, begin, end = 0.0, 0.0, 0.0, first, first
    for at in range(first, first + len(ids)):
        gram = ids[at - first]
        if gram < 0 or not met[gram]:
            continue
        if at > end:
            weight, tokens = weight + sums[end] - sums[begin], tokens + end - begin
            if own[at] - own[end] > LONGEST_GAP:
                total, weight, tokens = total + weight * long(tokens), 0.0, 0.0
            begin = at
        end = at + k
    weight, tokens = weight + sums[end] - sums[begin], tokens + end - begin
    most: float = total + weight * long(tokens)
    return most


@njit
def _fill_most(cohort: tuple[Ids, Bounds, Running], pairs: Rows, k: int, distinct: int, most: Floats) -> None:
    """Add the half of each pair's second side; those with one first side stand together."""
    ids, bounds, running = cohort
    met, entered = np.zeros(distinct + 1, dtype=np.bool_), -1
    for row in range(len(pairs)):
        one, other = pairs[row]
        if one != entered:
            if entered >= 0:
                met[ids[bounds[entered] : bounds[entered + 1]]] = False
            met[ids[bounds[one] : bounds[one + 1]]] = True
            entered = one
        first, after = bounds[other], bounds[other + 1]
        most[row] += _most(ids[first:after], first, running, met, k) / 2


def _covered_at_most(cohort: Cohort, pairs: Rows) -> Floats:
    """Weight that passages of each pair cover at most, told on all cores."""
    most = np.zeros(len(pairs))
    arrays = (cohort.side.ids, cohort.bounds, cohort.running)
    distinct = 1 + int(cohort.side.ids.max(initial=-1))
    turned = pairs[:, ::-1]
    for sides in (pairs, turned):
        order = np.argsort(sides[:, 0], kind="stable")
        rows, found = np.ascontiguousarray(sides[order]), np.zeros(len(pairs))

        def fill(at: int, rows: Rows = rows, found: Floats = found) -> None:
            part = slice(at, at + CHUNK)
            _fill_most(arrays, rows[part], cohort.k, distinct, found[part])

        with ThreadPoolExecutor(cpu_count()) as pool:
            list(pool.map(fill, range(0, len(pairs), CHUNK)))
        most[order] += found
    return most


def similarity_at_most(cohort: Cohort, lexical: LexicalTable, candidates: Candidates) -> Floats:
    """Give what the similarity of each pair does not exceed."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarity_of(cohort, lexical, pairs, _covered_at_most(cohort, pairs))[0] + SLACK


def leading(cohort: Cohort, lexical: LexicalTable, candidates: Candidates, show: int) -> tuple[Rows, Scores]:
    """Rows of the candidates that hold at least the best `show`, ties with the last of them too; scored.

    Pairs are scored in order of what they can be at most, until no other can be among the best.
    """
    most = similarity_at_most(cohort, lexical, candidates)
    order = np.argsort(-most, kind="stable")
    scored, size = 0, max(show, BLOCK)
    parts: list[Scores] = []
    while True:
        rows = np.sort(order[scored : scored + size])
        order[scored : scored + size] = rows
        parts.append(score(cohort, lexical, candidates.take(rows)))
        scored = min(scored + size, len(order))
        if scored == len(order) or _nth(parts, show) > most[order[scored]]:
            break
    return order[:scored], Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _nth(parts: list[Scores], show: int) -> float:
    similarity = np.concatenate([part.similarity for part in parts])
    return float(np.partition(similarity, len(similarity) - show)[len(similarity) - show])
