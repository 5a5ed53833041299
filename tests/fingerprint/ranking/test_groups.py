"""Submissions that have a group in common are never compared."""

from itertools import combinations

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.engine import CohortFile, Groups, RankingInput, count_pairs, fingerprint, rank
from fingerprint.languages.lexical_terms import LexicalTerms
from fingerprint.params import Params

K = 4
PARAMS = Params(K, 2)
DOCUMENTS = st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=2, max_size=6)
GROUPS = st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=6, max_size=6)


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
