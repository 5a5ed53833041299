from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint import engine
from fingerprint.engine import Cohort, PairPassages
from fingerprint.ranking.passages import INITIAL_ROWS, align_pairs
from fingerprint.ranking.scoring import score
from fingerprint.ranking.translations import without_terms
from tests.fingerprint.ranking import naive_passages

K = 3
files = st.lists(st.integers(0, 3), max_size=14)
submissions = st.lists(st.lists(files, max_size=3), min_size=2, max_size=5)


def cohort_of(sources: list[list[list[int]]], base: list[int] | None = None, limit: int | None = None) -> Cohort:
    arrays = [[np.array(file, dtype=np.uint64) for file in submission] for submission in sources]
    boilerplate = [np.array(base or [], dtype=np.uint64)]
    return Cohort.from_submissions(arrays, K, boilerplate, limit)


def rows_of(passages: PairPassages) -> list[list[engine.Passage]]:
    return [engine.as_passages(passages.of(pair)) for pair in range(len(passages.starts) - 1)]


@given(submissions, files, st.sampled_from([None, 1, 2]), st.randoms())
@example([[[0, 1] * 7], [[1, 0] * 7, [0] * 9]], [0, 1, 0], 1, None)
def test_the_passages_of_many_pairs_are_those_of_each_pair_alone(
    sources: list[list[list[int]]], base: list[int], limit: int | None, order: object
) -> None:
    cohort = cohort_of(sources, base, limit)
    pairs = [*combinations(range(len(sources)), 2)]
    if order is not None:
        order.shuffle(pairs)  # type: ignore[attr-defined] # it is a random.Random
    together = rows_of(align_pairs(cohort, np.array(pairs)))
    assert together == [naive_passages.find_passages(cohort, *pair) for pair in pairs]


@given(submissions)
def test_a_passage_has_equal_tokens_in_both_of_its_files(sources: list[list[list[int]]]) -> None:
    files = [(owner, file) for owner, submission in enumerate(sources) for file in submission]
    for passage in engine.as_passages(align_pairs(cohort_of(sources), np.array([[0, 1]])).rows):
        (left_owner, left), (right_owner, right) = files[passage.left_file], files[passage.right_file]
        a, b, n = passage.left_token, passage.right_token, passage.tokens
        assert (left_owner, right_owner) == (0, 1)
        assert left[a : a + n] == right[b : b + n]
        assert n == len(left[a : a + n])


@given(submissions, st.data())
def test_passages_of_chosen_pairs_are_in_the_order_of_the_choice(
    sources: list[list[list[int]]], data: st.DataObject
) -> None:
    cohort = cohort_of(sources)
    pairs = np.array([*combinations(range(len(sources)), 2)])
    aligned = align_pairs(cohort, pairs)
    chosen = data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=9))
    every = rows_of(aligned)
    parts = aligned.parts()
    assert [engine.as_passages(rows) for rows in parts] == every
    assert rows_of(PairPassages.from_rows([parts[pair] for pair in chosen])) == [every[pair] for pair in chosen]


@given(submissions, st.sampled_from([None, 1]), st.sampled_from([0, 5, 1000]))
def test_pairs_that_were_scored_have_the_passages_that_aligning_finds(
    sources: list[list[list[int]]], limit: int | None, room: int
) -> None:
    cohort, known = cohort_of(sources, limit=limit), engine.KnownPassages()
    pairs = np.array([*combinations(range(len(sources)), 2)])
    left, right = pairs.astype(np.int32).T
    candidates = engine.CandidatePairs(left, right, np.zeros_like(left))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fingerprint.ranking.passages.MOST_ROWS", room)
        score(cohort, without_terms(len(cohort)), candidates, known=known)
    assert len(known.rows) == (len(pairs) if room else 0)
    assert rows_of(align_pairs(cohort, pairs[::-1], known=known)) == rows_of(align_pairs(cohort, pairs[::-1]))


def test_known_passages_are_not_looked_for_again() -> None:
    cohort, known, invented = (
        cohort_of([[[1, 2, 3, 4]], [[1, 2, 3, 4]]]),
        engine.KnownPassages(),
        [[0, 0, 1, 0, 3, 2, 0]],
    )
    known.add(np.array([[0, 1]]), np.array(invented, dtype=np.int32), np.array([1]))
    assert align_pairs(cohort, np.array([[0, 1]]), known=known).rows.tolist() == invented


def test_a_pair_may_have_more_passages_than_there_is_room_for_at_first() -> None:
    ends = np.random.default_rng(1).permutation(2 * INITIAL_ROWS) + 100
    left = [kind for end in ends for kind in (1, 2, 3, int(end))]
    right = [kind for end in ends[::-1] for kind in (1, 2, 3, int(end))]
    cohort = cohort_of([[left], [right]])
    (passages,) = rows_of(align_pairs(cohort, np.array([[0, 1]])))
    assert len(passages) > INITIAL_ROWS
    assert passages == naive_passages.find_passages(cohort, 0, 1)


def test_aligning_ends_when_the_check_raises() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        align_pairs(cohort_of([[[1, 2, 3, 4]], [[1, 2, 3, 4]]]), np.array([[0, 1]]), stop)


@given(submissions)
def test_exchanging_the_sides_twice_changes_nothing(sources: list[list[list[int]]]) -> None:
    rows = align_pairs(cohort_of(sources), np.array([[0, 1]])).rows
    exchanged = engine.exchange_sides(rows)
    assert engine.as_passages(exchanged) == [passage.exchanged for passage in engine.as_passages(rows)]
    assert engine.exchange_sides(exchanged).tolist() == rows.tolist()
