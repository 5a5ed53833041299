from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench.binary_copy import decode, encode


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**31), 2**31 - 1))))
def test_binary_copy_is_lossless(rows: list[tuple[int, int]]) -> None:
    hashes = np.array([row[0] for row in rows], dtype=np.int64)
    positions = np.array([row[1] for row in rows], dtype=np.int32)
    decoded = decode(encode([hashes, positions]), ("i8", "i4"))
    assert list(zip(*(column.tolist() for column in decoded), strict=True)) == rows


def test_binary_copy_of_other_columns_is_refused() -> None:
    data = encode([np.array([1], dtype=np.int32)])
    with pytest.raises(ValueError, match="not binary COPY"):
        decode(data, ("i8",))
