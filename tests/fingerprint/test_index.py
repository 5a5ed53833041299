import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.index import InvertedIndex

holdings = st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=7)


def index_of(held: list[list[int]]) -> InvertedIndex:
    values = np.array([value for values in held for value in values], dtype=np.uint64)
    owners = np.repeat(np.arange(len(held)), [len(values) for values in held])
    return InvertedIndex.build(values, owners)


@given(holdings)
def test_document_frequency_counts_owners_not_occurrences(held: list[list[int]]) -> None:
    index = index_of(held)
    expected = {value: sum(value in values for values in held) for values in held for value in values}
    assert dict(zip(index.values.tolist(), index.frequency.tolist(), strict=True)) == expected


@given(holdings, st.lists(st.integers(0, 8), max_size=8))
def test_lookup_without_a_limit_gives_what_containment_needs(
    held: list[list[int]], wanted: list[int]
) -> None:
    owners, counts = index_of(held).lookup(np.array(wanted, dtype=np.uint64))
    expected = {i: len(set(values) & set(wanted)) for i, values in enumerate(held)}
    assert dict(zip(owners.tolist(), counts.tolist(), strict=True)) == {
        i: n for i, n in expected.items() if n
    }


def test_lookup_with_a_limit_takes_the_smallest_values_first() -> None:
    index = index_of([[1, 5, 9], [5, 9], [9]])
    owners, counts = index.lookup(np.array([9, 5, 1, 5], dtype=np.uint64), limit=2)
    assert (owners.tolist(), counts.tolist()) == ([0, 1], [2, 1])


@pytest.mark.parametrize("limit", [0, -1])
def test_lookup_refuses_a_limit_below_one(limit: int) -> None:
    with pytest.raises(ValueError, match=f"limit is {limit}"):
        index_of([[1]]).lookup(np.array([1], dtype=np.uint64), limit)
