from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking.duplicates import DuplicateGroup, Sameness, group_duplicates

IDENTICAL, LEXICAL, FINGERPRINTS = Sameness
keys = st.integers(0, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=n, max_size=n), min_size=3, max_size=3
    )
)


def test_a_group_has_the_strongest_sameness_that_all_its_members_share() -> None:
    groups = group_duplicates(
        [["x", "x", "y", "", "z"], ["p", "p", "p", "q", "r"], ["f", "f", "f", "g", "g"]]
    )
    assert groups == [DuplicateGroup(LEXICAL, [0, 1, 2]), DuplicateGroup(FINGERPRINTS, [3, 4])]


def test_byte_for_byte_copies_are_identical() -> None:
    assert group_duplicates([["x", "x"], ["p", "p"], ["f", "f"]]) == [DuplicateGroup(IDENTICAL, [0, 1])]


def test_documents_without_keys_are_in_no_group() -> None:
    assert group_duplicates([["", "", None], ["", "", None], ["", "", None]]) == []


@given(keys)
def test_documents_share_a_group_exactly_when_equal_keys_connect_them(columns: list[list[str]]) -> None:
    count = len(columns[0])
    reach = {document: {document} for document in range(count)}
    for _ in range(count):
        for a in range(count):
            for b in range(count):
                if any(column[a] and column[a] == column[b] for column in columns):
                    reach[a] |= reach[b]
    expected = {tuple(sorted(members)) for members in reach.values() if len(members) > 1}
    assert {tuple(group.members) for group in group_duplicates(columns)} == expected


@pytest.mark.parametrize("columns", [[], [["a"]], [["a"], ["a"], ["a", "b"]]])
def test_keys_of_unequal_length_are_refused(columns: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="of equal length"):
        group_duplicates(columns)
