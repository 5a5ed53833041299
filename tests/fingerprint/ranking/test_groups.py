"""Submissions that have a group in common are never compared."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.engine import CohortFile, Groups, RankingInput, count_pairs, fingerprint, rank
from fingerprint.languages.lexical_terms import LexicalTerms
from fingerprint.ranking.groups import DuplicateGroup, Sameness, group_duplicates
from fingerprint.winnowing import Params

K = 4
PARAMS = Params(K, 2)
DOCUMENTS = st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=2, max_size=6)
GROUPS = st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=6, max_size=6)
IDENTICAL, LAYOUT, NAMES, LEXICAL, FINGERPRINTS = Sameness
keys = st.integers(0, 6).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=n, max_size=n), min_size=5, max_size=5)
)


def ranking_input(documents: list[list[int]], groups: Groups) -> RankingInput:
    none = LexicalTerms(*[np.empty(0, np.uint64)] * 3)
    kinds = [np.array(document, np.uint64) for document in documents]
    files = [
        CohortFile(owner, one, np.arange(len(one), dtype=np.int32), none, fingerprint(one, PARAMS).hashes)
        for owner, one in enumerate(kinds)
    ]
    return RankingInput.from_files(files, len(documents), K, groups=groups)


def similarities(inputs: RankingInput, show: int | None) -> dict[tuple[int, int], float]:
    ranking = rank(inputs, show)
    columns = ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), ranking.scores.similarity.tolist()
    return {(left, right): similarity for left, right, similarity in zip(*columns, strict=True)}


@given(DOCUMENTS, GROUPS, st.sampled_from([None, 100]))
def test_a_ranking_is_the_plain_one_without_the_pairs_of_a_group(
    documents: list[list[int]], groups: list[list[int]], show: int | None
) -> None:
    of_documents = groups[: len(documents)]
    plain = similarities(ranking_input(documents, Groups.from_lists([])), show)
    grouped = similarities(ranking_input(documents, Groups.from_lists(of_documents)), show)
    expected = {
        (left, right): similarity
        for (left, right), similarity in plain.items()
        if not set(of_documents[left]) & set(of_documents[right])
    }
    assert grouped == expected


@given(GROUPS)
def test_pairs_are_counted_once_however_many_groups_they_share(groups: list[list[int]]) -> None:
    expected = sum(bool(set(one) & set(other)) for one, other in combinations(groups, 2))
    assert count_pairs(Groups.from_lists(groups)) == expected


def test_nothing_is_counted_without_groups() -> None:
    assert count_pairs(Groups.from_lists([])) == 0
    assert count_pairs(Groups.from_lists([[], []])) == 0


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
