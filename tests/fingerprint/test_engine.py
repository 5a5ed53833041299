import numpy as np
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, LexicalTerms, RankingInput
from fingerprint.kernels.types import Kinds
from fingerprint.params import Params
from fingerprint.ranking.cohort import Cohort

PARAMS = Params(k=3, window=2)
token_lists = st.lists(st.integers(0, 9), min_size=0, max_size=30)


def array(kinds: list[int]) -> Kinds:
    return np.array(kinds, dtype=np.uint64)


def file(owner: int, tokens: list[int]) -> CohortFile:
    """Return a file of these tokens, each on a line of its own, without names and literals."""
    kinds, lines = array(tokens), np.arange(len(tokens), dtype=np.int32)
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return CohortFile(owner, kinds, lines, LexicalTerms(*[array([])] * 3), hashes)


def scores_by_pair(
    submissions: list[list[list[int]]], boilerplate: tuple[list[int], ...] = (), limit: int | None = None
) -> dict[tuple[int, int], tuple[float, float, float, int, int]]:
    """Return (similarity, left share, right share, tokens, longest) by pair."""
    files = [file(owner, kinds) for owner, token_files in enumerate(submissions) for kinds in token_files]
    excluded = Exclusions([array(kinds) for kinds in boilerplate], (), limit)
    pairs, scores, *_ = engine.rank(RankingInput.from_files(files, len(submissions), PARAMS.k, excluded))
    columns = [column.tolist() for column in (pairs.left, pairs.right, *scores[:5])]
    return {(left, right): tuple(values) for left, right, *values in zip(*columns, strict=True)}


@given(
    token_lists, token_lists, token_lists, token_lists, st.lists(st.integers(0, 9), min_size=4, max_size=20)
)
def test_every_shared_run_of_guarantee_tokens_is_found(
    a: list[int], b: list[int], c: list[int], d: list[int], run: list[int]
) -> None:
    assert PARAMS.guarantee == 4
    scores = scores_by_pair([[a + run + b], [c + run + d]])
    assert scores[0, 1][3] >= len(run)


def test_identical_submissions_score_one_and_share_everything() -> None:
    assert scores_by_pair([[[1, 2, 3, 4, 5]], [[1, 2, 3, 4, 5]]])[0, 1] == (1.0, 1.0, 1.0, 5, 5)


def test_a_submission_never_matches_itself() -> None:
    assert scores_by_pair([[[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]], [[7, 8, 9, 10, 11]]]) == {}


def test_code_is_matched_when_it_moved_to_another_file() -> None:
    one, two = [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
    assert scores_by_pair([[one, two], [[*two, 0, *one]]])[0, 1][1:4] == (1.0, 10 / 11, 10)


def test_boilerplate_counts_on_neither_side_of_a_share() -> None:
    starter, copied = [50, 51, 52, 53, 54], [1, 2, 3, 4, 5]
    scores = scores_by_pair([[[*starter, *copied, 70, 71, 72, 73, 74]], [[*starter, *copied]]], (starter,))
    assert scores[0, 1][1:] == (0.5, 1.0, 5, 5)


def test_submissions_that_share_only_boilerplate_are_no_pair() -> None:
    starter = [50, 51, 52, 53, 54]
    assert scores_by_pair([[[*starter, 1, 2, 3, 4]], [[*starter, 6, 7, 8, 9]]], (starter,)) == {}


def test_passages_in_more_submissions_than_the_limit_count_in_no_share_but_in_the_similarity() -> None:
    template = [50, 51, 52, 53, 54]
    submissions = [[[*template, 10 * n, 10 * n + 1, 10 * n + 2, 10 * n + 3]] for n in range(4)]
    counted, common = scores_by_pair(submissions, limit=4), scores_by_pair(submissions, limit=3)
    assert all(row[3] == 5 for row in counted.values())
    assert [row[1:] for row in common.values()] == [(0, 0, 0, 0)] * 6
    assert [row[0] for row in common.values()] == [row[0] for row in counted.values()]


def test_a_cohort_without_two_submissions_that_have_tokens_has_no_pairs() -> None:
    assert scores_by_pair([]) == scores_by_pair([[[1, 2, 3, 4]]]) == scores_by_pair([[[]], [[]], []]) == {}


def test_passages_have_file_numbers_of_the_cohort_and_token_positions_in_the_files() -> None:
    cohort = Cohort.from_submissions(
        [[array([9, 9]), array([8, 1, 2, 3, 4])], [array([1, 2, 3, 4])]], PARAMS.k
    )
    assert engine.find_passages(cohort, 0, 1) == [engine.Passage(1, 1, 2, 0, 4, 2)]
