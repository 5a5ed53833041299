"""Alignment of pairs: tiles, repetitive pairs, and the index of a cohort."""

from itertools import takewhile

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from fingerprint.ranking.alignment import (
    POSITION_BITS,
    POSITION_MASK,
    list_long_runs,
    list_runs,
    long_kgrams,
    unmatch_collisions,
)
from fingerprint.ranking.candidates import InvertedIndex
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.sorting import FEW, number_pairs, order_by, sort_places, sort_rows
from fingerprint.ranking.tiling import Workspace, enter, leave, shared_places, workspace
from tests.fingerprint import naive
from tests.fingerprint.ranking.naive_passages import kgram_table, passages

documents = st.lists(st.integers(0, 2), max_size=30)


long_documents = st.lists(st.integers(0, 1), max_size=50)


K = 3


def rows(left: list[int], right: list[int], boilerplate: list[list[int]] | None = None, k: int = K) -> list[list[int]]:
    arrays = [np.array(part, dtype=np.uint64) for part in (left, right)]
    boilerplate_arrays = [np.array(part, dtype=np.uint64) for part in boilerplate or []]
    cohort = Cohort.from_submissions([[arrays[0]], [arrays[1]]], k, boilerplate_arrays)
    matches: list[list[int]] = passages(cohort.submission(0), cohort.submission(1), k).tolist()
    return matches


@given(documents, documents)
@example([1] * 30, [1] * 25)
@example([0, 1] * 12, [1] + [0, 1] * 9)
def test_passages_are_those_of_greedy_tiling(left: list[int], right: list[int]) -> None:
    assert [tuple(row) for row in rows(left, right)] == naive.tiles(left, right, K)


@given(long_documents, long_documents, st.sampled_from([4, 5]))
@example([0, 0, 0, 0, 1] * 9, [0] * 40, 4)
def test_long_runs_first_and_open_short_ones_then_are_greedy_tiling(left: list[int], right: list[int], k: int) -> None:
    assert [tuple(row) for row in rows(left, right, k=k)] == naive.tiles(left, right, k)


@given(documents, documents, documents)
def test_passages_are_equal_tokens_and_never_overlap(left: list[int], right: list[int], base: list[int]) -> None:
    matches = rows(left, right, [base])
    assert all(left[a : a + n] == right[b : b + n] and n >= K for a, b, n in matches)
    for side in (0, 1):
        tokens = [row[side] + i for row in matches for i in range(row[2])]
        assert len(tokens) == len(set(tokens))


@given(documents, documents, documents)
def test_no_passage_is_boilerplate_only_and_none_ends_in_it(left: list[int], right: list[int], base: list[int]) -> None:
    ignored = set(naive.kgrams(base, K))
    flags = naive.covered(left, K, ignored), naive.covered(right, K, ignored)
    for a, b, n in rows(left, right, [base]):
        assert not any((flags[0][a], flags[1][b], flags[0][a + n - 1], flags[1][b + n - 1]))
        assert any(gram not in ignored for gram in naive.kgrams(left[a : a + n], K))


def test_a_passage_may_contain_boilerplate_in_its_middle() -> None:
    copied = [10, 11, 12, 13, 1, 2, 3, 4, 20, 21, 22, 23]
    assert rows([7, *copied, 8], [*copied, 9], [[1, 2, 3, 4]]) == [[1, 0, 12]]


def test_a_constant_table_of_thousands_of_tokens_is_one_passage() -> None:
    assert rows([1] * 6000, [2] + [1] * 5000) == [[0, 1, 5000]]


def test_no_passage_crosses_from_one_file_into_the_next() -> None:
    one, two, both = (np.array(part, dtype=np.uint64) for part in ([1, 2, 3], [4, 5, 6], [1, 2, 3, 4, 5, 6]))
    cohort = Cohort.from_submissions([[one, two], [both]], K)
    matches = passages(cohort.submission(0), cohort.submission(1), K).tolist()
    assert matches == [[0, 0, 3], [4, 3, 3]]


Run = tuple[int, int, int]


def listed_runs(left: list[int], right: list[int], steps: int = 1 << 40) -> list[Run] | None:
    """Return the runs that the kernel lists, with room for one at first; None if it runs out of steps."""
    cohort = Cohort.from_submissions([[np.array(side, dtype=np.uint64)] for side in (left, right)], K)
    pair = cohort.submission(0), cohort.submission(1)
    table = kgram_table(pair[0].ordered_kgrams, 1 + int(cohort.tokens.kgrams.max(initial=-1)))
    count, runs = list_runs(pair, K, table, steps, np.empty((1, 2), dtype=np.int64))
    listed = [(place >> POSITION_BITS, place & POSITION_MASK, n) for place, n in runs[:count].tolist()]
    return None if count < 0 else listed


def equal_from(left: list[int], right: list[int], a: int, b: int) -> int:
    pairs = zip(left[a:], right[b:], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def naive_runs(left: list[int], right: list[int]) -> list[Run]:
    starts = [
        (a, b) for a in range(len(left)) for b in range(len(right)) if a == 0 or b == 0 or left[a - 1] != right[b - 1]
    ]
    return [(a, b, length) for a, b in starts if (length := equal_from(left, right, a, b)) >= K]


@given(documents, documents)
@example([1] * 30, [1] * 25)
@example([0, 1] * 12, [1] + [0, 1] * 9)
def test_the_listed_runs_are_all_maximal_runs_each_once(left: list[int], right: list[int]) -> None:
    assert sorted(listed_runs(left, right) or []) == naive_runs(left, right)


def test_a_search_out_of_steps_lists_no_runs() -> None:
    assert listed_runs([1] * 30, [1] * 25, steps=54) is None


def test_kgrams_that_can_match_are_numbered_without_gaps() -> None:
    sides = [np.array(side, dtype=np.uint64) for side in ([1, 2, 3, 4, 5], [9, 8, 7, 6, 2, 3, 4, 5])]
    ids = Cohort.from_submissions([[side] for side in sides], K).tokens.kgrams
    assert np.unique(ids[ids >= 0]).tolist() == [0, 1]


@given(st.lists(st.integers(0, 1), min_size=K, max_size=40), st.data())
def test_kgrams_with_equal_ids_have_equal_tokens_even_where_hashes_collide(
    tokens: list[int], data: st.DataObject
) -> None:
    kinds = np.array(tokens, dtype=np.uint64)
    ids = data.draw(st.lists(st.integers(-1, 2), min_size=len(tokens) - K + 1, max_size=len(tokens) - K + 1))
    kgrams = np.array([*ids, *[-1] * (K - 1)], dtype=np.int32)
    unmatch_collisions(kinds, kgrams, K)
    grams = naive.kgrams(tokens, K)
    firsts = {number: grams[ids.index(number)] for number in set(ids) - {-1}}
    expected = [number if firsts.get(number) == gram else -1 for number, gram in zip(ids, grams, strict=True)]
    assert kgrams.tolist() == [*expected, *[-1] * (K - 1)]


blocks = st.lists(st.integers(3, 24), min_size=4, max_size=9)


def table(sizes: list[int], period: list[int]) -> list[int]:
    """Return runs of a repeated row, each followed by a separating token."""
    return [token for number, size in enumerate(sizes) for token in [*(period * size)[:size], 9 + number % 2]]


@pytest.mark.slow
@settings(max_examples=30)
@given(blocks, blocks, st.sampled_from([[1], [1, 2], [1, 1, 2]]))
@example([24] * 8, [23] * 8, [1])
def test_tables_with_more_runs_than_are_listed_at_once_are_tiled_as_by_the_naive_tiling(
    one: list[int], other: list[int], period: list[int]
) -> None:
    left, right = table(one, period), table(other, period)
    assert [tuple(row) for row in rows(left, right)] == naive.tiles(left, right, K)


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
    assert {at for at, number in enumerate(ids) if number >= 0} == {at for at, gram in places if gram in shared}
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
def test_the_shared_places_and_the_pairs_of_equal_kgrams_are_counted(left: list[int], right: list[int]) -> None:
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


value_lists = st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=7)


def index_of(documents: list[list[int]]) -> InvertedIndex:
    values = np.array([value for values in documents for value in values], dtype=np.uint64)
    owners = np.repeat(np.arange(len(documents)), [len(values) for values in documents])
    return InvertedIndex.build(values, owners)


@given(value_lists)
def test_document_frequency_counts_owners_not_occurrences(documents: list[list[int]]) -> None:
    index = index_of(documents)
    expected = {value: sum(value in values for values in documents) for values in documents for value in values}
    assert dict(zip(index.values.tolist(), index.frequency.tolist(), strict=True)) == expected


@given(value_lists, st.lists(st.integers(0, 8), max_size=8))
def test_lookup_without_a_limit_counts_all_shared_values(documents: list[list[int]], query: list[int]) -> None:
    owners, counts = index_of(documents).lookup(np.array(query, dtype=np.uint64))
    expected = {i: len(set(values) & set(query)) for i, values in enumerate(documents)}
    assert dict(zip(owners.tolist(), counts.tolist(), strict=True)) == {i: n for i, n in expected.items() if n}


def test_lookup_with_a_limit_takes_the_smallest_values_first() -> None:
    index = index_of([[1, 5, 9], [5, 9], [9]])
    owners, counts = index.lookup(np.array([9, 5, 1, 5], dtype=np.uint64), limit=2)
    assert (owners.tolist(), counts.tolist()) == ([0, 1], [2, 1])


@pytest.mark.parametrize("limit", [0, -1])
def test_lookup_refuses_a_limit_below_one(limit: int) -> None:
    with pytest.raises(ValueError, match=f"limit is {limit}"):
        index_of([[1]]).lookup(np.array([1], dtype=np.uint64), limit)


numbers = st.integers(0, 1 << 40)


@given(st.lists(numbers, max_size=2 * FEW))
@example(list(range(FEW, 0, -1)))
@example(list(range(FEW + 1, 0, -1)))
def test_places_are_sorted_whether_few_or_many(places: list[int]) -> None:
    array = np.array(places, dtype=np.int64)
    sort_places(array)
    assert array.tolist() == sorted(places)


@given(st.lists(st.tuples(st.integers(0, 9), numbers, numbers), max_size=60, unique_by=lambda row: row[:2]))
def test_rows_are_sorted_by_their_first_two_columns(rows: list[tuple[int, int, int]]) -> None:
    array = np.array(rows, dtype=np.int64).reshape(-1, 3)
    sort_rows(array)
    assert [tuple(row) for row in array.tolist()] == sorted(rows)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_rows_are_ordered_by_three_keys_and_equal_ones_stay_in_order(
    rows: list[tuple[int, int, int]],
) -> None:
    keys = np.array(rows, dtype=np.int32).reshape(-1, 3).T
    assert order_by(*map(np.ascontiguousarray, keys)).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
