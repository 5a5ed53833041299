import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking.cohort import COMMON_LIMIT, Cohort, common_limit
from tests.fingerprint import naive

document = st.lists(st.integers(0, 2), max_size=12)
cohorts = st.lists(st.lists(document, max_size=3), max_size=5)
K = 3


def laid_out(
    submissions: list[list[list[int]]], boilerplate: list[list[int]], limit: int | None = None
) -> Cohort:
    arrays = [[np.array(kinds, dtype=np.uint64) for kinds in files] for files in submissions]
    return Cohort.from_submissions(
        arrays, K, [np.array(kinds, dtype=np.uint64) for kinds in boilerplate], limit
    )


@given(cohorts, st.lists(document, max_size=2), st.one_of(st.none(), st.integers(1, 3)))
def test_ignored_tokens_lie_in_boilerplate_or_in_kgrams_of_too_many(
    submissions: list[list[list[int]]], boilerplate: list[list[int]], limit: int | None
) -> None:
    held = [{gram for kinds in files for gram in naive.kgrams(kinds, K)} for files in submissions]
    ignored = {gram for kinds in boilerplate for gram in naive.kgrams(kinds, K)}
    if limit is not None:
        ignored |= {gram for grams in held for gram in grams if sum(gram in other for other in held) > limit}
    cohort = laid_out(submissions, boilerplate, limit)
    for number, kinds in enumerate(kinds for files in submissions for kinds in files):
        spans = cohort.ignored_spans(number)
        found = [any(low <= at < high for low, high in spans) for at in range(len(kinds))]
        assert found == naive.covered(kinds, K, ignored)


@given(cohorts)
def test_every_token_is_located_in_its_own_file(submissions: list[list[list[int]]]) -> None:
    cohort = laid_out(submissions, [])
    number = 0
    for owner, files in enumerate(submissions):
        offset = 0
        for kinds in files:
            located = [cohort.locate(owner, offset + at) for at in range(len(kinds))]
            assert located == [(number, at) for at in range(len(kinds))]
            offset, number = offset + len(kinds) + 1, number + 1


@given(cohorts)
def test_frequency_counts_submissions_that_hold_the_kgram(submissions: list[list[list[int]]]) -> None:
    held = [{gram for kinds in files for gram in naive.kgrams(kinds, K)} for files in submissions]
    cohort = laid_out(submissions, [])
    for number, kinds in enumerate(kinds for files in submissions for kinds in files):
        at = int(cohort.file_starts[number])
        found = cohort.frequency[at : at + max(0, len(kinds) - K + 1)].tolist()
        assert found == [sum(gram in other for other in held) for gram in naive.kgrams(kinds, K)]


def test_common_code_is_ignored_as_moss_does_in_a_class_but_not_in_a_small_cohort() -> None:
    assert common_limit(180) == COMMON_LIMIT == 10
    assert common_limit(12) is None


@pytest.mark.parametrize("cohort", [2, 180])
def test_a_limit_that_was_asked_for_holds_in_any_cohort(cohort: int) -> None:
    assert common_limit(cohort, 3) == 3
