"""The sorts sort as numpy and Python do."""

import numpy as np
from hypothesis import example, given, strategies as st

from fingerprint.ranking.sorting import FEW, order_by, sort_places, sort_rows

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
    assert order_by(*map(np.ascontiguousarray, keys)).tolist() == sorted(
        range(len(rows)), key=rows.__getitem__
    )
