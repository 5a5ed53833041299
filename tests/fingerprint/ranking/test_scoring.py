from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.fingerprints import fingerprint
from fingerprint.index import CandidatePairs
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexeme_ids import lexeme_id
from fingerprint.languages.lexical_terms import LexicalTerms
from fingerprint.params import Params
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.inputs import CohortFile, RankingInput
from fingerprint.ranking.rank import candidate_pairs
from fingerprint.ranking.score_constants import LEAST_PASSAGE_PART
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.terms import LexicalTable
from tests.fingerprint.ranking import naive_score
from tests.fingerprint.ranking.naive_score import Submission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.types import Terms


K = 3
words = st.frozensets(st.sampled_from(["0", "i", "total", "a long message", "another one"]), max_size=4)
submissions = st.builds(Submission, st.lists(st.integers(0, 3), max_size=60), words, words)
cohorts = st.lists(submissions, min_size=2, max_size=4)


def coded(terms: frozenset[str], sort: LexicalClass) -> Terms:
    ids = [lexeme_id("test", sort, term) >> 5 << 5 | min(31, len(term)) for term in terms]
    return np.unique(np.array(ids, dtype=np.uint64))


def scored(
    cohort: Sequence[Submission], boilerplate: Sequence[Submission] = (), limit: int | None = None
) -> Scores:
    """Scores of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    laid_out = Cohort.from_submissions(
        [[np.array(one.kinds, np.uint64)] for one in cohort],
        K,
        [np.array(one.kinds, np.uint64) for one in boilerplate],
        limit,
    )
    held, handed_out = (
        [
            LexicalTerms(coded(one.literals, LexicalClass.STRING), coded(one.names, LexicalClass.IDENTIFIER))
            for one in some
        ]
        for some in (cohort, boilerplate)
    )
    left, right = (found.astype(np.int32) for found in np.triu_indices(len(cohort), 1))
    table = LexicalTable.from_submissions([[one] for one in held], handed_out)
    return score(laid_out, table, CandidatePairs(left, right, np.zeros(len(left), np.int32)))


@given(cohorts)
def test_similarity_is_the_formula(cohort: list[Submission]) -> None:
    rows = [(i, j) for i in range(len(cohort)) for j in range(i + 1, len(cohort))]
    expected = [naive_score.similarity(cohort[i], cohort[j], cohort, K) for i, j in rows]
    assert scored(cohort).similarity.tolist() == pytest.approx(expected, abs=1e-8)


@given(cohorts, st.lists(submissions, max_size=1), st.one_of(st.none(), st.integers(1, 3)))
def test_parts_add_up_to_a_similarity_between_none_and_one(
    cohort: list[Submission], boilerplate: list[Submission], limit: int | None
) -> None:
    found = scored(cohort, boilerplate, limit)
    assert found.structure + found.literals + found.names == pytest.approx(found.similarity)
    for column in (found.similarity, found.structure, found.literals, found.names):
        assert np.all((column >= -1e-9) & (column <= 1 + 1e-9))


@given(cohorts, st.integers(1, 3))
def test_common_code_changes_percentages_and_no_similarity(cohort: list[Submission], limit: int) -> None:
    free, limited = scored(cohort), scored(cohort, limit=limit)
    assert limited.similarity.tolist() == free.similarity.tolist()
    assert np.all(limited.tokens <= free.tokens)


@given(st.lists(st.integers(0, 3), min_size=K, max_size=60), words, words, st.integers(2, 5))
def test_identical_submissions_score_one_in_any_cohort_of_them(
    kinds: list[int], literals: frozenset[str], names: frozenset[str], count: int
) -> None:
    found = scored([Submission(kinds, literals, names)] * count)
    assert set(found.similarity.tolist()) == {1.0}


def test_renaming_everything_costs_an_eighth_at_most() -> None:
    kinds = list(range(200))
    names = frozenset(f"identifier{n}" for n in range(50))
    (found,) = scored([Submission(kinds, names=names), Submission(kinds)]).similarity
    renamed = frozenset(f"other{n}" for n in range(50))
    (other,) = scored([Submission(kinds, names=names), Submission(kinds, names=renamed)]).similarity
    assert (found, other) == (1.0, pytest.approx(1 / 1.15))


def test_changing_every_literal_and_name_leaves_what_passages_hold() -> None:
    kinds = list(range(200))
    one, other = (
        Submission(kinds, *(frozenset(f"{who} {what} {n}" for n in range(99)) for what in "ab"))
        for who in "xy"
    )
    found = scored([one, other])
    assert found.similarity.tolist() == [LEAST_PASSAGE_PART]
    assert (found.structure[0], found.literals[0], found.names[0]) == (LEAST_PASSAGE_PART, 0, 0)


def test_a_literal_that_only_two_hold_tells_more_than_one_that_all_hold() -> None:
    kinds = list(range(30))
    rare, usual = frozenset(["a rare message"]), frozenset(["the usual one"])
    own = [frozenset([f"nobody else's {n}"]) for n in range(6)]
    cohort = [Submission(kinds, usual | own[n] | (rare if n < 2 else frozenset())) for n in range(6)]
    found = scored(cohort).similarity
    assert found[0] > found[1:].max()


def padded(kinds: list[int], every: int, dead: int) -> list[int]:
    """Put `dead` tokens that nobody else has behind `every` tokens."""
    fresh = iter(range(10_000, 20_000))
    parts = [kinds[at : at + every] for at in range(0, len(kinds), every)]
    return [token for part in parts for token in (*part, *(next(fresh) for _ in range(dead)))]


def test_one_long_passage_outranks_as_many_tokens_in_scattered_ones() -> None:
    copied = list(range(60))
    apart = padded(copied, 10, 20)
    source = Submission([*copied, *range(300, 420)])
    whole = Submission([*copied, *range(500, 620)])
    found = scored([source, whole, Submission(apart)]).similarity
    assert found[0] > found[1] > 0


def test_dead_code_put_into_a_copy_costs_little() -> None:
    copied = list(range(120))
    (found,) = scored([Submission(copied), Submission(padded(copied, 20, 9))]).similarity
    assert found > 0.75


def test_terms_of_boilerplate_are_no_evidence() -> None:
    kinds = list(range(40))
    literals = frozenset(["please enter a number"])
    own = frozenset(["a message of mine"]), frozenset(["another one, by her"])
    cohort = [Submission([*kinds, *range(100 + n, 130)], literals | own[n]) for n in range(2)]
    plain, handed_out = scored(cohort), scored(cohort, [Submission([], literals)])
    assert plain.literals[0] > 0
    assert handed_out.literals[0] == 0


def inputs(documents: Sequence[Sequence[int]]) -> RankingInput:
    none = np.empty(0, np.uint64)
    files = [
        CohortFile(
            owner,
            np.array(kinds, np.uint64),
            np.arange(len(kinds), dtype=np.int32),
            LexicalTerms(none, none),
            fingerprint(np.array(kinds, np.uint64), Params(K, 2)).hashes,
        )
        for owner, kinds in enumerate(documents)
    ]
    return RankingInput.from_files(files, len(documents), K)


@given(st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=2, max_size=5), st.floats(0, 1))
def test_candidates_share_the_floor_of_the_lighter_sides_fingerprints(
    documents: list[list[int]], floor: float
) -> None:
    laid_out = inputs(documents)
    held = [set(laid_out.hashes[laid_out.owners == owner].tolist()) for owner in range(len(documents))]

    def mass(values: set[int]) -> float:
        return sum(naive_score.rarity(sum(value in other for other in held), 0.75) for value in values)

    expected = {
        (i, j): mass(held[i] & held[j]) / min(mass(held[i]), mass(held[j]))
        for j in range(len(held))
        for i in range(j)
        if held[i] & held[j]
    }
    found = candidate_pairs(laid_out, floor)
    pairs = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert {pair for pair, share in expected.items() if share > floor + 1e-9} <= pairs
    assert pairs <= {pair for pair, share in expected.items() if share > floor - 1e-9}
