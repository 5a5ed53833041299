"""The public interface of the engine."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fingerprint
from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, LexicalTerms, RankingInput
from fingerprint.kernels.types import Kinds
from fingerprint.ranking.cohort import Cohort
from fingerprint.winnowing import ENGINE_VERSION, Params, pack, unpack
from tests.fingerprint.ranking.naive_passages import passages_of

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


@given(token_lists, token_lists, token_lists, token_lists, st.lists(st.integers(0, 9), min_size=4, max_size=20))
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
    cohort = Cohort.from_submissions([[array([9, 9]), array([8, 1, 2, 3, 4])], [array([1, 2, 3, 4])]], PARAMS.k)
    assert passages_of(cohort, 0, 1) == [engine.Passage(1, 1, 2, 0, 4, 2)]


NAMES = [
    (package, node.module or "", alias.name)
    for package in (fingerprint, engine)
    for node in ast.walk(ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text()))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
]


def test_every_public_name_comes_from_its_module() -> None:
    for package, module, name in NAMES:
        value = getattr(package, name)
        assert value is getattr(import_module(module), name), name
        assert name.isupper() or value.__doc__, name


def test_the_names_of_a_package_are_those_of_its_stub() -> None:
    for package in (fingerprint, engine):
        assert sorted(name for owner, _, name in NAMES if owner is package) == dir(package)
    assert "robust_winnow" in dir(fingerprint)
    assert "rank" in dir(engine)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="klingon"):
        getattr(fingerprint, "klingon")  # noqa: B009 - mypy refuses the attribute, as it should


def test_the_package_alone_loads_neither_the_library_of_kernels_nor_numpy() -> None:
    code = "import sys, fingerprint.engine; print({'numba', 'llvmlite', 'numpy'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"


SKETCH = np.arange(400, dtype=np.uint64)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_unpacking_returns_the_packed_sketch(values: list[int]) -> None:
    packed = pack(np.array(values, dtype=np.uint64))
    assert len(packed) == 16 + 8 * len(values)
    assert unpack(packed).tolist() == values


def test_damaged_packed_sketches_are_refused() -> None:
    packed = pack(SKETCH)
    for damaged in (packed[:-1], packed + b"\0"):
        with pytest.raises(ValueError, match="sketch of 400 values has 3"):
            unpack(damaged)
    for other in (b"", packed[:10], b"GIF8" + packed[4:]):
        with pytest.raises(ValueError, match=f"not a packed sketch: {len(other)} bytes"):
            unpack(other)


def test_a_packed_sketch_of_another_engine_version_is_refused() -> None:
    later = ENGINE_VERSION + 1
    with pytest.raises(ValueError, match=f"engine version {later}; this engine reads version {later - 1}"):
        unpack(pack(SKETCH, later))


def test_the_packed_bytes_are_the_same_on_every_machine() -> None:
    assert pack(np.array([1, 2**63], dtype=np.uint64), 3).hex() == (
        "4d534b31" + "03000000" + "0200000000000000" + "0100000000000000" + "0000000000000080"
    )
