import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.clustering import (
    MIN_BUDGET,
    Records,
    Runs,
    UnionFind,
    cluster,
    cluster_by_super_shingles,
    components,
    value_runs,
)
from fingerprint.sketches.shingling import Sketches, mod_sketch, shingles
from fingerprint.winnowing import ENGINE_VERSION
from tests.fingerprint import naive
from tests.support.small_disks import fill

FEW = st.integers(1, 12)
NO_DOCUMENTS = np.empty(0, dtype=np.int64)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(FEW)
    document = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(document, document), max_size=12))


def component_labels(count: int, pairs: list[tuple[int, int]]) -> list[int]:
    sides = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    labels: list[int] = components(count, sides[:, 0], sides[:, 1]).tolist()
    return labels


@given(graphs())
def test_components_are_those_of_the_naive_search(graph: tuple[int, list[tuple[int, int]]]) -> None:
    assert component_labels(*graph) == naive.components(*graph)


def test_documents_without_a_pair_are_their_own_component() -> None:
    assert components(3, NO_DOCUMENTS, NO_DOCUMENTS).tolist() == [0, 1, 2]
    assert components(0, NO_DOCUMENTS, NO_DOCUMENTS).tolist() == []


@pytest.mark.parametrize(
    ("count", "left", "right", "complaint"),
    [
        (-1, [], [], "count is -1"),
        (2, [0], [], "left has 1 documents and right 0"),
        (2, [0], [2], "documents 2 to 2 are joined; 0 to 1 are known"),
        (2, [-1], [1], "documents -1 to -1 are joined; 0 to 1 are known"),
    ],
)
def test_impossible_pairs_are_refused(count: int, left: list[int], right: list[int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        components(count, np.array(left, dtype=np.int64), np.array(right, dtype=np.int64))


def test_pairs_may_be_joined_in_several_calls() -> None:
    sets = UnionFind(4)
    sets.join(np.array([0]), np.array([1]))
    sets.join(np.array([2]), np.array([1]))
    assert sets.labels().tolist() == [0, 0, 0, 3]


# ---- the four phases ----

VALUES = st.integers(0, 3)
SKETCHES = st.lists(st.sets(VALUES, max_size=4), max_size=9)
THRESHOLDS = st.sampled_from([0.2, 0.5, 2 / 3, 1.0])


def sketched(sketches: Sequence[set[int]]) -> Sketches:
    return Sketches.from_sketches(np.array(sorted(sketch), dtype=np.uint64) for sketch in sketches)


def sketch_families(count: int, size: int, seed: int) -> Sketches:
    """Return sketches in families of ten, in which neighbours share most values."""
    random = np.random.default_rng(seed)
    pool = random.integers(0, 2**64, (count // 10 + 1, size), dtype=np.uint64)
    return Sketches.from_sketches(
        np.unique(np.concatenate([pool[i // 10, i % 10 :], random.integers(0, 2**64, 3, dtype=np.uint64)]))
        for i in range(count)
    )


@given(SKETCHES, THRESHOLDS, st.integers(1, 4))
def test_clusters_are_those_of_comparing_every_pair(sketches: list[set[int]], threshold: float, common: int) -> None:
    clustering = cluster(sketched(sketches), threshold=threshold, common=common)
    assert clustering.labels.tolist() == naive.mod_clusters(sketches, threshold, common)


@pytest.mark.slow
@given(st.integers(0, 300), st.integers(1, 12), st.integers(MIN_BUDGET * 2, MIN_BUDGET * 40), st.integers(1, 9))
def test_clusters_are_the_same_for_every_budget(count: int, size: int, budget: int, common: int) -> None:
    sketches = sketch_families(count, size, seed=count)
    bounded = cluster(sketches, budget=budget, common=common)
    assert bounded.labels.tolist() == cluster(sketches, common=common).labels.tolist()


@pytest.mark.slow
def test_records_beyond_the_budget_are_written_to_files_that_are_deleted_afterwards(tmp_path: Path) -> None:
    sketches = sketch_families(200, 12, seed=1)
    with Runs(MIN_BUDGET, tmp_path) as runs:
        value_runs(sketches, np.ones(200, dtype=np.bool_), runs)
        assert runs.spilled > 20
        assert len(list(tmp_path.glob("*/*"))) == 2 * runs.spilled
        pieces = list(runs.merged())
        assert max(len(piece.keys) for piece in pieces) <= 2 * runs.capacity
        merged = Records.merge(pieces)
    assert not list(tmp_path.iterdir())
    expected = sorted((int(value), i) for i in range(200) for value in sketches[i])
    assert sorted(zip(merged.keys.tolist(), merged.payloads.tolist(), strict=True)) == expected


def test_a_full_disk_is_named_and_nothing_is_left_on_it(small_disk: Path) -> None:
    fill(small_disk)
    sketches = sketch_families(2_000, 12, seed=1)
    with (
        Runs(MIN_BUDGET, small_disk) as runs,
        pytest.raises(OSError, match="No space left on device") as full,
    ):
        value_runs(sketches, np.ones(2_000, dtype=np.bool_), runs)
    assert full.value.errno == errno.ENOSPC
    assert [path.name for path in small_disk.iterdir()] == ["fill"]


@given(st.lists(st.lists(st.tuples(VALUES, VALUES), max_size=70), max_size=6))
def test_all_records_of_a_key_are_in_one_piece_of_a_merge(contents: list[list[tuple[int, int]]]) -> None:
    with Runs(MIN_BUDGET) as runs:
        for run in contents:
            columns = np.array(sorted(run), dtype=np.uint64).reshape(-1, 2)
            runs.add(Records(columns[:, 0], columns[:, 1]))
        pieces = list(runs.merged())
    keys = [set(piece.keys.tolist()) for piece in pieces]
    assert sum(map(len, keys)) == len(set().union(*keys))
    entries = sorted(pair for p in pieces for pair in zip(p.keys.tolist(), p.payloads.tolist(), strict=True))
    assert entries == sorted(pair for run in contents for pair in run)


def test_many_runs_are_merged_in_passes() -> None:
    with Runs(MIN_BUDGET) as runs:
        for start in range(200):
            runs.add(Records(*(np.arange(start, start + 40, dtype=np.uint64) for _ in range(2))))
        merged = Records.merge(list(runs.merged()))
    expected = np.sort(np.concatenate([np.arange(start, start + 40) for start in range(200)]))
    assert merged.keys.tolist() == merged.payloads.tolist() == expected.tolist()


def test_copies_are_left_out_of_the_comparison_and_share_the_cluster_of_their_original() -> None:
    sketches = sketched([{1, 2, 3}, {1, 2, 3, 4}, {9}, {1, 2, 3}, set(), set(), {7}])
    clustering = cluster(sketches, exact="abcdefc", lexical=["A", "B", "C", "D", "E", "E", "C"])
    assert clustering.duplicates.tolist() == [0, 1, 2, 0, 4, 4, 2]
    assert clustering.labels.tolist() == [0, 0, 2, 0, 4, 4, 2]
    assert [group.tolist() for group in clustering.groups()] == [[0, 1, 3], [2, 6], [4, 5]]


def test_copies_do_not_count_when_values_are_common() -> None:
    sketches = [{1, 2, 3}] * 5 + [{1, 2, 3, 4}]
    assert cluster(sketched(sketches), common=2).labels.tolist() == [0] * 6


def test_empty_sketches_resemble_nothing() -> None:
    assert cluster(sketched([set(), set(), {1}])).labels.tolist() == [0, 1, 2]
    assert cluster(sketched([])).groups() == []


@given(st.lists(st.sets(st.integers(0, 5), max_size=5), max_size=8), st.integers(1, 3))
def test_documents_that_share_a_super_shingle_are_clustered(sketches: list[set[int]], size: int) -> None:
    clustering = cluster_by_super_shingles(sketched(sketches), size)
    runs = [
        {tuple(sorted(s)[i : i + size]) for i in range(len(s) - size + 1)} | ({tuple(sorted(s))} if s else set())
        for s in sketches
    ]
    sharing = [(a, b) for a in range(len(runs)) for b in range(a) if runs[a] & runs[b]]
    assert clustering.labels.tolist() == naive.components(len(sketches), sharing)


@given(st.lists(st.sets(st.integers(0, 5), max_size=5), max_size=8), THRESHOLDS)
def test_a_threshold_applies_to_documents_that_share_a_super_shingle(
    sketches: list[set[int]], threshold: float
) -> None:
    # Super-shingles of one value miss no pair, so the result equals the clustering of all pairs.
    clustering = cluster_by_super_shingles(sketched(sketches), 1, threshold=threshold)
    assert clustering.labels.tolist() == naive.mod_clusters(sketches, threshold, common=1000)


def test_prose_is_sketched_by_its_shingles() -> None:
    random = np.random.default_rng(3)
    text = random.integers(0, 5000, 4000)
    edited = np.concatenate([text[:1500], random.integers(0, 5000, 50), text[1500:]])
    documents = [text, edited, random.integers(0, 5000, 4000)]
    none = np.empty(0, dtype=np.uint64)
    sketches = Sketches.from_sketches([*(mod_sketch(shingles(one, 10), 25) for one in documents), none])
    assert cluster(sketches).labels.tolist() == [0, 0, 2, 3]
    assert sketches[0].tolist() == mod_sketch(shingles(text, 10), 25).tolist()
    assert not len(sketches[3])


# ---- refusals ----


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"threshold": 0.0}, "threshold is 0.0; a resemblance is above 0 and at most 1"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"common": 0}, "common is 0; a value is in at least 1 document"),
        ({"budget": 100}, "budget is 50 bytes; 4096 are the least"),
        ({"exact": ["a"]}, "exact has 1 keys for 2 documents"),
        ({"lexical": ["a"] * 3}, "lexical has 3 keys for 2 documents"),
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        cluster(sketched([{1}, {2}]), **limits)


def test_sketches_of_another_engine_version_are_refused() -> None:
    older = ENGINE_VERSION - 1
    with pytest.raises(ValueError, match=f"engine version {older} are given; only those of {ENGINE_VERSION}"):
        Sketches.from_sketches([np.array([1], dtype=np.uint64)], engine_version=older)


@pytest.mark.parametrize(
    ("values", "offsets", "complaint"),
    [
        ([2, 1], [0, 2], "the sketch of document 0 is not in ascending order without repeats"),
        ([5, 1, 1], [0, 1, 3], "the sketch of document 1"),
        ([1], [0, 2], "offsets do not ascend from 0 to 1"),
        ([1], [], "offsets do not ascend"),
        ([1, 2], [0, 2, 1, 2], "offsets do not ascend"),
    ],
)
def test_sketches_that_are_not_sets_are_refused(values: list[int], offsets: list[int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Sketches(np.array(values, dtype=np.uint64), np.array(offsets, dtype=np.int64))


def test_values_of_another_dtype_are_refused() -> None:
    with pytest.raises(ValueError, match="values are 1-dimensional int64; uint64 is needed"):
        Sketches(np.array([1]), np.array([0, 1]))


def test_impossible_sketch_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="size is 0; a super-shingle has at least 1 value"):
        cluster_by_super_shingles(sketched([{1}]), 0)
