import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint.languages.lexical_terms import LexicalTerms
from fingerprint.ranking import best_pairs as search
from fingerprint.ranking.best_pairs import (
    Scored,
    Wanted,
    best_pairs,
    close_bounds,
    quick_bounds,
    worth_scoring,
)
from fingerprint.ranking.candidates import CandidatePairs
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.terms import LexicalTable
from fingerprint.ranking.threshold import LOWEST_THRESHOLD, sample_rows

K = 3
documents = st.lists(st.integers(0, 3), max_size=40)
cohorts = st.lists(st.tuples(documents, st.sets(st.integers(0, 9))), min_size=2, max_size=7)
ScoreArguments = tuple[Cohort, LexicalTable, CandidatePairs]


def score_arguments(submissions: list[tuple[list[int], set[int]]], boilerplate: list[int]) -> ScoreArguments:
    """Return the arguments of `score`: a cohort, its names and uses, and all pairs as candidates."""
    kinds = [[np.array(tokens, dtype=np.uint64)] for tokens, _ in submissions]
    none = np.empty(0, np.uint64)
    names = [np.array(sorted(column), np.uint64) for _, column in submissions]
    terms = [[LexicalTerms(none, column, none, column[column % 2 == 1] * 32 + 31)] for column in names]
    left, right = (side.astype(np.int32) for side in np.triu_indices(len(submissions), 1))
    cohort = Cohort.from_submissions(kinds, K, [np.array(boilerplate, dtype=np.uint64)])
    return cohort, LexicalTable.from_submissions(terms), CandidatePairs(left, right, np.ones_like(left))


@given(cohorts, documents)
@example([([1] * 30, set()), ([1] * 25 + [2] * 9, {1})], [])
def test_no_pair_scores_above_its_bounds(submissions: list[tuple[list[int], set[int]]], boilerplate: list[int]) -> None:
    arguments = score_arguments(submissions, boilerplate)
    similarity = score(*arguments).similarity
    assert (similarity <= close_bounds(*arguments)).all()
    assert (similarity <= quick_bounds(*arguments)).all()
    assert worth_scoring(*arguments).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "SAMPLE_SIZE", 0)
        assert worth_scoring(*arguments)[similarity >= LOWEST_THRESHOLD].all()


@given(cohorts, documents, st.integers(1, 30))
def test_the_leading_pairs_are_those_of_scoring_all(
    submissions: list[tuple[list[int], set[int]]], boilerplate: list[int], show: int
) -> None:
    arguments = score_arguments(submissions, boilerplate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "PAIRS_PER_STEP", 1)
        patch.setattr(search, "BOUNDS_PER_STEP", 2)
        rows, scores = best_pairs(*arguments, Wanted(show))
    assert leading_rows(arguments[2].take(rows), scores, show) == leading_rows(arguments[2], score(*arguments), show)


@given(cohorts, documents, st.integers(1, 5), st.floats(0, 1), st.data())
def test_a_report_gets_the_best_pair_of_each_submission_and_all_from_a_similarity_on(
    submissions: list[tuple[list[int], set[int]]],
    boilerplate: list[int],
    show: int,
    least: float,
    data: st.DataObject,
) -> None:
    arguments = score_arguments(submissions, boilerplate)
    pairs, every = arguments[2], score(*arguments)
    known = np.array(data.draw(st.lists(st.sampled_from(range(len(pairs.left))), unique=True)), dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "PAIRS_PER_STEP", 1)
        patch.setattr(search, "BOUNDS_PER_STEP", 2)
        wanted = Wanted(show, least, of_each=True)
        rows, scores = best_pairs(*arguments, wanted, scored=Scored(known, every.take(known)))
    assert len(set(rows.tolist())) == len(rows)
    assert all((of_all[rows] == column).all() for of_all, column in zip(every, scores, strict=True))
    needed = set(np.flatnonzero(every.similarity >= min(least, np.sort(every.similarity)[-show:][0])).tolist())
    for number in range(len(submissions)):
        pairs_of_one = np.flatnonzero((pairs.left == number) | (pairs.right == number))
        best = every.similarity[pairs_of_one].max()
        needed |= set(pairs_of_one[every.similarity[pairs_of_one] == best].tolist())
    assert needed <= set(rows.tolist())


def leading_rows(pairs: CandidatePairs, scores: Scores, show: int) -> list[tuple[float, ...]]:
    rows = zip(-scores.similarity, -scores.tokens, *pairs, *scores, strict=True)
    return sorted(tuple(map(float, row)) for row in rows)[:show]


def test_a_sample_of_pairs_does_not_depend_on_their_order() -> None:
    keys = np.random.default_rng(1).integers(0, 2**63, 50_000).astype(np.uint64)
    order = np.random.default_rng(2).permutation(50_000)
    sample = sample_rows(keys)
    assert len(np.unique(sample)) == 10_000
    assert set(order[sample_rows(keys[order])].tolist()) == set(sample.tolist())
