"""Repetitive pairs: the runs through occurrences of about the same rank, in linear time."""

from collections import defaultdict
from time import process_time

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from fingerprint.ranking.alignment import POSITION_BITS, POSITION_MASK, IndexedTokens
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.tiling import (
    LEAST_STEPS,
    RANK_DISTANCE,
    RANKED_RUNS_PER_TOKEN,
    STEPS_PER_TOKEN,
    fill_ranked_runs,
)
from tests.fingerprint.ranking.naive_passages import kgram_table, passages

K = 3
Run = tuple[int, int, int]
NO_LIMIT = 1 << 40


def sides(left: list[int], right: list[int]) -> tuple[IndexedTokens, IndexedTokens]:
    arrays = [np.array(part, dtype=np.uint64) for part in (left, right)]
    cohort = Cohort.from_submissions([[array] for array in arrays], K)
    return cohort.submission(0), cohort.submission(1)


def ranked_runs(left: list[int], right: list[int], steps: int = NO_LIMIT) -> set[Run]:
    pair = sides(left, right)
    rows = np.empty((RANKED_RUNS_PER_TOKEN * len(right), 2), dtype=np.int64)
    distinct = 1 + max(int(side.ordered_kgrams.max(initial=-1)) for side in pair)
    runs = fill_ranked_runs(pair, K, kgram_table(pair[0].ordered_kgrams, distinct), steps, rows)
    return {(place >> POSITION_BITS, place & POSITION_MASK, n) for place, n in rows[:runs].tolist()}


def groups(tokens: list[int], other: list[int]) -> dict[tuple[tuple[int, ...], tuple[int, ...] | None], list[int]]:
    """Return the positions of k-grams that both sides contain, by the k-gram and the shared one before it."""
    shared = {tuple(other[at : at + K]) for at in range(len(other) - K + 1)}
    grams = [tuple(tokens[at : at + K]) for at in range(len(tokens) - K + 1)]
    positions = defaultdict(list)
    for at, gram in enumerate(grams):
        before = grams[at - 1] if at and grams[at - 1] in shared else None
        positions[gram, before].append(at)
    return positions


def naive_run(left: list[int], right: list[int], a: int, b: int) -> Run:
    while a and b and left[a - 1] == right[b - 1]:
        a, b = a - 1, b - 1
    length = 0
    while a + length < len(left) and b + length < len(right) and left[a + length] == right[b + length]:
        length += 1
    return a, b, length


def naive_ranked_runs(left: list[int], right: list[int]) -> set[Run]:
    on_left, on_right = groups(left, right), groups(right, left)
    return {
        naive_run(left, right, lefts[(rank + offset) % len(lefts)], b)
        for key in on_left.keys() & on_right.keys()
        for lefts, rights in [(on_left[key], on_right[key])]
        for rank, b in enumerate(rights)
        for offset in (
            range(len(lefts)) if len(lefts) <= 2 * RANK_DISTANCE else range(-RANK_DISTANCE, RANK_DISTANCE + 1)
        )
    }


repetitive = st.lists(st.sampled_from([[1, 2], [1, 2, 1, 2, 1, 2], [1], [2], [7, 1], [8]]), max_size=60).map(
    lambda parts: [token for part in parts for token in part]
)


@settings(max_examples=60)
@given(repetitive, repetitive)
@example([1] * 90, [1] * 70)
@example([1, 2] * 50, [2] + [1, 2] * 40)
@example([7, 1, 1] * 40, [8, 1, 1] * 30)
def test_the_runs_are_those_through_occurrences_of_about_the_same_rank(left: list[int], right: list[int]) -> None:
    assert ranked_runs(left, right) == naive_ranked_runs(left, right)


@given(repetitive, repetitive, st.integers(0, 50))
def test_a_search_out_of_steps_returns_only_runs(left: list[int], right: list[int], steps: int) -> None:
    assert ranked_runs(left, right, steps) <= naive_ranked_runs(left, right)


def numbers(rows: int, seed: int) -> list[int]:
    """Return the tokens of a table whose rows have one of two kinds of values, at random."""
    kinds = np.random.default_rng(seed).integers(1, 3, (rows, 4))
    return [token for row in kinds for token in (7, *row.tolist(), 8)]


def is_repetitive(left: list[int], right: list[int]) -> bool:
    """Return whether the most frequent k-grams alone make more runs than may be listed."""
    counts = [
        np.unique(np.lib.stride_tricks.sliding_window_view(side, K), axis=0, return_counts=True)
        for side in (left, right)
    ]
    fewest = min(int(counts[0][1].max()), int(counts[1][1].max()))
    return fewest**2 > LEAST_STEPS + STEPS_PER_TOKEN * (len(left) + len(right))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [6_000, 30_000])
def test_a_copied_table_is_one_passage_however_long_it_is(rows: int) -> None:
    table = numbers(rows, 1)
    left, right = [20, *table, 21], [22, 23, *table]
    assert is_repetitive(left, right)
    assert passages(*sides(left, right), K).tolist() == [[1, 2, len(table)]]


@pytest.mark.parametrize("start", [[], [*range(10, 30)]])
def test_one_token_all_through_is_one_passage_and_takes_no_time_that_grows_with_its_square(
    start: list[int],
) -> None:
    tokens = np.array([*start, *[1] * 300_000], dtype=np.uint64)
    cohort = Cohort.from_submissions([[tokens], [tokens]], K, [tokens[: len(start)]])
    passages(*sides([1] * 9, [1] * 9), K)  # compiled before the time is taken
    began = process_time()
    passage_rows = passages(cohort.submission(0), cohort.submission(1), K)
    assert process_time() - began < 5
    assert passage_rows.tolist() == [[len(start), len(start), 300_000]]


def test_a_copied_table_with_new_rows_and_without_some_is_covered_nearly_whole() -> None:
    table = numbers(4_000, 1)
    changed = table[:6_000] + numbers(5, 2) + table[6_000:15_000] + table[15_060:]
    assert is_repetitive(table, changed)
    covered = passages(*sides(table, changed), K)[:, 2].sum()
    assert covered > 0.98 * len(table)


def test_passages_of_repetitive_pairs_are_equal_tokens_and_never_overlap() -> None:
    left, right = numbers(4_000, 1), numbers(4_000, 2)
    assert is_repetitive(left, right)
    rows = passages(*sides(left, right), K)
    assert all(left[a : a + n] == right[b : b + n] and n >= K for a, b, n in rows.tolist())
    for side in (0, 1):
        tokens = np.concatenate([np.arange(row[side], row[side] + row[2]) for row in rows])
        assert len(tokens) == len(np.unique(tokens))
