import numpy as np
from hypothesis import given, strategies as st

from fingerprint.ranking.cohort import Cohort
from tests.fingerprint import naive

document = st.lists(st.integers(0, 2), max_size=12)
cohorts = st.lists(st.lists(document, max_size=3), max_size=5)
K = 3


def cohort_of(submissions: list[list[list[int]]], boilerplate: list[list[int]], limit: int | None = None) -> Cohort:
    arrays = [[np.array(kinds, dtype=np.uint64) for kinds in files] for files in submissions]
    return Cohort.from_submissions(arrays, K, [np.array(kinds, dtype=np.uint64) for kinds in boilerplate], limit)


@given(cohorts, st.lists(document, max_size=2), st.one_of(st.none(), st.integers(1, 3)))
def test_ignored_tokens_are_boilerplate_or_in_kgrams_of_more_submissions_than_the_limit(
    submissions: list[list[list[int]]], boilerplate: list[list[int]], limit: int | None
) -> None:
    kgram_sets = [{kgram for kinds in files for kgram in naive.kgrams(kinds, K)} for files in submissions]
    ignored = {kgram for kinds in boilerplate for kgram in naive.kgrams(kinds, K)}
    if limit is not None:
        ignored |= {
            kgram for kgrams in kgram_sets for kgram in kgrams if sum(kgram in other for other in kgram_sets) > limit
        }
    cohort = cohort_of(submissions, boilerplate, limit)
    for number, kinds in enumerate(kinds for files in submissions for kinds in files):
        spans = cohort.ignored_spans()[number]
        ignored_flags = [any(low <= at < high for low, high, _ in spans) for at in range(len(kinds))]
        assert ignored_flags == naive.covered(kinds, K, ignored)


@given(cohorts)
def test_frequency_counts_submissions_that_contain_the_kgram(submissions: list[list[list[int]]]) -> None:
    kgram_sets = [{kgram for kinds in files for kgram in naive.kgrams(kinds, K)} for files in submissions]
    cohort = cohort_of(submissions, [])
    for number, kinds in enumerate(kinds for files in submissions for kinds in files):
        at = int(cohort.file_starts[number])
        frequencies = cohort.frequency[at : at + max(0, len(kinds) - K + 1)].tolist()
        assert frequencies == [sum(kgram in other for other in kgram_sets) for kgram in naive.kgrams(kinds, K)]
