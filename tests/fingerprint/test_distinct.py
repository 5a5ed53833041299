"""The distinct values of an array, compared with NumPy's."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.distinct import distinct_values, first_places, numbered

VALUES = hnp.arrays(
    st.sampled_from((np.uint64, np.int64, np.int32, np.uint8)),
    st.integers(0, 60),
    elements=st.integers(0, 100),
)


@given(VALUES)
def test_distinct_values_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    expected = np.unique(values)
    distinct = distinct_values(values)
    assert distinct.dtype == expected.dtype
    assert distinct.tolist() == expected.tolist()


@given(VALUES)
def test_numbers_of_values_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    expected, inverse = np.unique(values, return_inverse=True)
    distinct, numbers = numbered(values)
    assert distinct.dtype == expected.dtype
    assert (distinct.tolist(), numbers.tolist()) == (expected.tolist(), inverse.tolist())


@given(VALUES)
def test_first_places_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    assert first_places(values).tolist() == np.unique(values, return_index=True)[1].tolist()


def test_hashes_with_the_highest_bit_are_in_order() -> None:
    values = np.array([2**64 - 1, 0, 2**63, 2**64 - 1], dtype=np.uint64)
    assert distinct_values(values).tolist() == [0, 2**63, 2**64 - 1]
