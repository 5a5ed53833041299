import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, LexicalTerms, RankingInput
from fingerprint.params import Params
from submissions.matches.ranked_pairs import ranked_pairs, round_to_six

PARAMS = Params(k=3, window=2)
# A file: for each line the tokens that begin on it.
files = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=12)
cohorts = st.lists(st.lists(files, min_size=1, max_size=3), min_size=2, max_size=4)


def _content(owner: int, file: list[list[int]]) -> CohortFile:
    kinds = np.array([kind for line in file for kind in line], np.uint64)
    lines = np.repeat(np.arange(1, len(file) + 1), [len(line) for line in file]).astype(np.int32)
    none = np.empty(0, np.uint64)
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return CohortFile(owner, kinds, lines, LexicalTerms(none, none, none), hashes)


@pytest.mark.long
@given(cohorts, st.one_of(st.none(), st.integers(1, 3)))
def test_lines_are_those_on_which_tokens_of_passages_begin(
    submissions: list[list[list[list[int]]]], limit: int | None
) -> None:
    contents = [_content(owner, file) for owner, files in enumerate(submissions) for file in files]
    lines = [content.lines for content in contents]
    excluded = Exclusions((), (), limit)
    inputs = RankingInput.from_files(contents, len(submissions), PARAMS.k, excluded)
    ranking = engine.rank(inputs)
    for pair in ranked_pairs(inputs, ranking):
        left = {
            (p.left_file, lines[p.left_file][p.left_token + n])
            for p in pair.passages
            if not p.common
            for n in range(p.tokens)
        }
        right = {
            (p.right_file, lines[p.right_file][p.right_token + n])
            for p in pair.passages
            if not p.common
            for n in range(p.tokens)
        }
        assert pair.lines == max(len(left), len(right))
        assert pair.passages or not pair.similarity


@given(st.lists(st.one_of(st.floats(0, 1), st.integers(0, 10**7).map(lambda n: n / 10**7))))
def test_numbers_are_rounded_as_python_does(values: list[float]) -> None:
    assert round_to_six(np.array(values)) == [round(value, 6) for value in values]
