import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking.groups import DuplicateGroup, Sameness, group_duplicates

IDENTICAL, LAYOUT, NAMES, LEXICAL, FINGERPRINTS = Sameness
keys = st.integers(0, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=n, max_size=n), min_size=5, max_size=5
    )
)


def test_each_group_is_listed_with_its_strongest_sameness() -> None:
    groups = group_duplicates(
        [
            ["x", "x", "y", "", "z"],
            ["l", "l", "m", "n", "o"],
            ["p", "p", "p", "q", "r"],
            ["p", "p", "p", "q", "r"],
            ["f", "f", "f", "g", "g"],
        ]
    )
    assert groups == [
        DuplicateGroup(IDENTICAL, [0, 1]),
        DuplicateGroup(NAMES, [0, 1, 2]),
        DuplicateGroup(FINGERPRINTS, [3, 4]),
    ]


def test_byte_for_byte_copies_are_identical() -> None:
    assert group_duplicates([["x", "x"]] * 5) == [DuplicateGroup(IDENTICAL, [0, 1])]


def test_documents_without_keys_are_in_no_group() -> None:
    assert group_duplicates([["", "", None]] * 5) == []


@given(keys)
def test_two_documents_share_a_group_of_a_sameness_exactly_when_their_keys_are_equal(
    columns: list[list[str]],
) -> None:
    expected: dict[tuple[int, ...], Sameness] = {}
    for sameness, column in zip(reversed(Sameness), reversed(columns), strict=True):
        for key in {*column} - {""}:
            members = tuple(at for at, value in enumerate(column) if value == key)
            if len(members) > 1:
                expected[members] = sameness
    assert {tuple(members): sameness for sameness, members in group_duplicates(columns)} == expected


@pytest.mark.parametrize("columns", [[], [["a"]], [["a"], ["a"], ["a"], ["a"], ["a", "b"]]])
def test_keys_of_unequal_length_are_refused(columns: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="of equal length"):
        group_duplicates(columns)
