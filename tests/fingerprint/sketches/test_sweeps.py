import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.clustering import UnionFind, cluster
from fingerprint.sketches.external_sort import MIN_BUDGET
from fingerprint.sketches.shingling import Sketches
from fingerprint.sketches.sweeps import Drift, NearCopy, Sweeps

SKETCHES = st.lists(st.sets(st.integers(0, 3), max_size=4), max_size=9)
THRESHOLDS = st.sampled_from([0.2, 0.5, 2 / 3, 1.0])


def sketched(sketches: list[set[int]]) -> Sketches:
    return Sketches.from_sketches(np.array(sorted(sketch), dtype=np.uint64) for sketch in sketches)


@given(st.lists(SKETCHES, max_size=4), THRESHOLDS)
def test_sweeps_give_the_clusters_of_all_documents_together(
    sweeps: list[list[set[int]]], threshold: float
) -> None:
    in_steps = Sweeps(threshold=threshold, budget=MIN_BUDGET * 2)
    for sweep in sweeps:
        in_steps.add([str(i) for i in range(len(sweep))], sketched(sweep))
    everything = cluster(sketched([sketch for sweep in sweeps for sketch in sweep]), threshold=threshold)
    assert in_steps.clustering.labels.tolist() == everything.labels.tolist()
    assert in_steps.clustering.duplicates.tolist() == everything.duplicates.tolist()


@given(st.lists(SKETCHES, max_size=3), st.integers(1, 3))
def test_a_value_that_becomes_common_is_removed_once_from_each_size(
    sweeps: list[list[set[int]]], common: int
) -> None:
    in_steps = Sweeps(common=common)
    for sweep in sweeps:
        in_steps.add([str(i) for i in range(len(sweep))], sketched(sweep))
    together = Sweeps(common=common)
    sketches = [sketch for sweep in sweeps for sketch in sweep]
    together.add([str(i) for i in range(len(sketches))], sketched(sketches))
    distinct = in_steps.clustering.duplicates == np.arange(len(sketches))
    assert in_steps._sizes[distinct].tolist() == together._sizes[distinct].tolist()


def two_sweeps() -> Sweeps:
    sweeps = Sweeps()
    sweeps.add(["paper", "notes"], sketched([{1, 2, 3, 4}, {20, 21}]), exact=["a", "b"])
    sweeps.add(["moved", "notes", "mirror"], sketched([{1, 2, 3, 5}, {20, 21, 22}, {1, 2, 3}]))
    return sweeps


def test_a_moved_document_is_located_by_its_nearest_copy_in_the_last_sweep() -> None:
    assert two_sweeps().locate("paper") == NearCopy("mirror", 1, 0.75)
    assert two_sweeps().locate("mirror") == NearCopy("mirror", 1, 1.0)
    assert two_sweeps().locate("notes") == NearCopy("notes", 1, 1.0)


def test_a_removed_document_is_located_in_the_last_sweep_that_had_it() -> None:
    sweeps = two_sweeps()
    sweeps.add(["other"], sketched([{50}]))
    assert sweeps.locate("paper").sweep == 1
    sweeps.add([], sketched([]))
    assert len(sweeps) == 4
    assert sweeps.locate("other") == NearCopy("other", 2, 1.0)


def test_drift_compares_each_version_with_the_one_before() -> None:
    sweeps = two_sweeps()
    sweeps.add(["paper", "notes"], sketched([{1, 2}, {20, 21, 22}]), exact=["c", "d"])
    assert sweeps.drift("paper") == [Drift(0, 2, 0.5)]
    assert sweeps.drift("notes") == [Drift(0, 1, 2 / 3), Drift(1, 2, 1.0)]
    assert sweeps.drift("moved") == []


def test_unknown_names_and_names_that_are_not_one_for_each_document_are_refused() -> None:
    with pytest.raises(ValueError, match="1 distinct names are given for 2 documents"):
        Sweeps().add(["a", "a"], sketched([{1}, {2}]))
    with pytest.raises(ValueError, match="'gone' is in none of the 0 sweeps"):
        Sweeps().locate("gone")
    with pytest.raises(ValueError, match="4 documents are there already"):
        UnionFind(4).grow(3)
