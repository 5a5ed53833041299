"""The quick bound of what passages cover is what shared k-grams weigh, as a naive sum has it."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.best_pairs import coverage_bounds
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.parallel import never_end
from tests.fingerprint import naive

K = 3
documents = st.lists(st.integers(0, 2), max_size=25)


Gram = tuple[int, ...]


def naive_bound(cohort: Cohort, documents: list[list[int]], pair: list[int], ignored: set[Gram]) -> float:
    grams = [naive.kgrams(document, K) for document in documents]
    shared = (set(grams[pair[0]]) & set(grams[pair[1]])) - ignored
    bound = 0.0
    for kept in pair:
        start, end = cohort.submission_starts[kept : kept + 2]
        places = [start + at for at, gram in enumerate(grams[kept]) if gram in shared]
        weight, tokens = (
            min(sum(column[at + K] - column[at] for at in places), column[end] - column[start])
            for column in (cohort.sums.weight, cohort.sums.kept)
        )
        bound += weight * tokens / (tokens + constants.LENGTHS.half_length) / 2
    return bound


@given(st.lists(documents, min_size=2, max_size=5), documents, st.data())
@example([[1] * 25, [1] * 20, []], [], None)
def test_shared_kgrams_bound_what_passages_cover(
    submissions: list[list[int]], boilerplate: list[int], data: st.DataObject | None
) -> None:
    kinds = [[np.array(tokens, dtype=np.uint64)] for tokens in submissions]
    cohort = Cohort.from_submissions(kinds, K, [np.array(boilerplate, dtype=np.uint64)])
    pairs = np.stack(np.triu_indices(len(submissions), 1), axis=1).astype(np.int64)
    if data:
        pairs = pairs[data.draw(st.permutations(range(len(pairs))))]
    ignored = set(naive.kgrams(boilerplate, K))
    expected = [naive_bound(cohort, submissions, pair, ignored) for pair in pairs.tolist()]
    assert coverage_bounds(cohort, pairs, never_end).tolist() == pytest.approx(expected)
