import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking.candidates import InvertedIndex

value_lists = st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=7)


def index_of(documents: list[list[int]]) -> InvertedIndex:
    values = np.array([value for values in documents for value in values], dtype=np.uint64)
    owners = np.repeat(np.arange(len(documents)), [len(values) for values in documents])
    return InvertedIndex.build(values, owners)


@given(value_lists)
def test_document_frequency_counts_owners_not_occurrences(documents: list[list[int]]) -> None:
    index = index_of(documents)
    expected = {
        value: sum(value in values for values in documents) for values in documents for value in values
    }
    assert dict(zip(index.values.tolist(), index.frequency.tolist(), strict=True)) == expected


@given(value_lists, st.lists(st.integers(0, 8), max_size=8))
def test_lookup_without_a_limit_counts_all_shared_values(
    documents: list[list[int]], query: list[int]
) -> None:
    owners, counts = index_of(documents).lookup(np.array(query, dtype=np.uint64))
    expected = {i: len(set(values) & set(query)) for i, values in enumerate(documents)}
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
