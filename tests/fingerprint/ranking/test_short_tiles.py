"""Tests of the long k-grams of a cohort, and of what short tiles are found by."""

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.ranking.alignment import POSITION_BITS, POSITION_MASK, list_long_runs, long_kgrams
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.sorting import number_pairs
from fingerprint.ranking.tiling import Workspace, enter, leave, shared_places, workspace
from tests.fingerprint import naive
from tests.fingerprint.ranking.test_alignment import naive_runs

K = 3
LONG = 5
sides = st.lists(st.integers(0, 1), max_size=40)


def cohort_of(*submissions: list[int]) -> Cohort:
    return Cohort.from_submissions([[np.array(side, dtype=np.uint64)] for side in submissions], K)


def space_of(cohort: Cohort) -> Workspace:
    return workspace.py_func(*cohort.distinct, int(np.diff(cohort.submission_starts).max()))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_pairs_of_keys_are_numbered_without_gaps_equal_ones_equally(keys: list[tuple[int, int]]) -> None:
    first, second = (np.array([key[side] for key in keys], dtype=np.int32) for side in (0, 1))
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    assert number_pairs(first, second).tolist() == [ranks[key] for key in keys]


@given(st.lists(sides, min_size=2, max_size=4))
def test_a_long_kgram_has_an_id_where_two_submissions_contain_it(submissions: list[list[int]]) -> None:
    cohort = cohort_of(*submissions)
    ids = long_kgrams(cohort.tokens.kgrams, K, cohort.submission_starts).tolist()
    grams = [naive.kgrams(tokens, LONG) for tokens in submissions]
    places = [
        (int(start) + at, gram)
        for start, of_one in zip(cohort.submission_starts[:-1], grams, strict=True)
        for at, gram in enumerate(of_one)
    ]
    shared = {gram for of_one in grams for gram in of_one if sum(gram in others for others in grams) > 1}
    assert {at for at, number in enumerate(ids) if number >= 0} == {
        at for at, gram in places if gram in shared
    }
    numbers = {gram: ids[at] for at, gram in places if gram in shared}
    assert all(ids[at] == numbers[gram] for at, gram in places if gram in shared)
    assert sorted(numbers.values()) == list(range(len(shared)))


@given(sides, sides)
def test_the_long_runs_are_the_maximal_runs_of_their_length(left: list[int], right: list[int]) -> None:
    cohort = cohort_of(left, right)
    pair, space = (cohort.submission(0), cohort.submission(1)), space_of(cohort)
    enter(space, pair[0])
    runs = list_long_runs((pair[0].long, pair[1].long), LONG, space.long_table, space.long_members).tolist()
    listed = sorted((place >> POSITION_BITS, place & POSITION_MASK, length) for place, length in runs)
    assert listed == [run for run in naive_runs(left, right) if run[2] >= LONG]


@given(sides, sides)
def test_the_shared_places_and_the_pairs_of_equal_kgrams_are_counted(
    left: list[int], right: list[int]
) -> None:
    cohort = cohort_of(left, right)
    space = space_of(cohort)
    enter(space, cohort.submission(0))
    count, pairs = shared_places(cohort.submission(1), space)
    grams, others = naive.kgrams(left, K), naive.kgrams(right, K)
    assert space.places[1][:count].tolist() == [at for at, gram in enumerate(others) if gram in grams]
    assert pairs == sum(gram == other for gram in grams for other in others)


@given(sides, sides)
def test_a_workspace_is_empty_again_after_it_was_left(left: list[int], right: list[int]) -> None:
    cohort = cohort_of(left, right)
    space, empty = space_of(cohort), space_of(cohort)
    enter(space, cohort.submission(0))
    leave(space, cohort.submission(0))
    assert [part.tolist() for part in space[:4]] == [part.tolist() for part in empty[:4]]
