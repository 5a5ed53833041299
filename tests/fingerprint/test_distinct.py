"""The distinct values of an array, compared with NumPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.engine import distinct_values


@given(
    hnp.arrays(
        st.sampled_from((np.uint64, np.int64, np.int32, np.uint8)),
        st.integers(0, 60),
        elements=st.integers(0, 100),
    )
)
def test_distinct_values_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    expected = np.unique(values)
    distinct = distinct_values(values)
    assert distinct.dtype == expected.dtype
    assert distinct.tolist() == expected.tolist()


def test_hashes_with_the_highest_bit_are_in_order() -> None:
    values = np.array([2**64 - 1, 0, 2**63, 2**64 - 1], dtype=np.uint64)
    assert distinct_values(values).tolist() == [0, 2**63, 2**64 - 1]
