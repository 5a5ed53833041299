from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.clustering import (
    MIN_BUDGET,
    VALUES_END,
    cluster,
    count_shared,
    duplicate_labels,
    merge_shared,
    value_ranges,
)
from fingerprint.sketches.shingling import Sketches
from tests.fingerprint import naive

# Values at both ends of the range of 64 bits too.
VALUES = st.sampled_from([0, 1, 2, 3, 2**63, VALUES_END - 1])
SKETCHES = st.lists(st.sets(VALUES, max_size=5), max_size=9)
CUTS = st.sets(st.sampled_from([1, 2, 3, 4, 2**63, VALUES_END - 1]))
THRESHOLDS = st.sampled_from([0.2, 0.5, 2 / 3, 1.0])


def sketched(sketches: list[set[int]]) -> Sketches:
    return Sketches.from_sketches(np.array(sorted(sketch), dtype=np.uint64) for sketch in sketches)


def ranges(cuts: set[int]) -> list[tuple[int, int]]:
    return list(pairwise([0, *sorted(cuts), VALUES_END]))


@given(SKETCHES, CUTS, THRESHOLDS, st.integers(1, 4), st.randoms())
def test_shards_of_any_ranges_in_any_order_give_the_clusters_of_comparing_every_pair(
    sets: list[set[int]], cuts: set[int], threshold: float, common: int, random: Random
) -> None:
    sketches = sketched(sets)
    duplicates = duplicate_labels(sketches)
    shards = [count_shared(sketches.within(start, end), duplicates, common=common) for start, end in ranges(cuts)]
    random.shuffle(shards)
    clustering = merge_shared(sketches, duplicates, shards, threshold=threshold)
    assert clustering.labels.tolist() == naive.mod_clusters(sets, threshold, common)


@given(SKETCHES, CUTS)
def test_the_counts_of_all_shards_add_up_to_the_shared_values_of_each_pair(
    sets: list[set[int]], cuts: set[int]
) -> None:
    sketches, counts = sketched(sets), dict[tuple[int, int], int]()
    for start, end in ranges(cuts):
        pairs = count_shared(sketches.within(start, end), np.arange(len(sets))).pairs
        assert len(set(pairs.keys.tolist())) == len(pairs.keys)
        for key, count in zip(pairs.keys.tolist(), pairs.payloads.tolist(), strict=True):
            counts[divmod(key, 2**32)] = counts.get(divmod(key, 2**32), 0) + count
    naive_counts = {(a, b): len(sets[a] & sets[b]) for b in range(len(sets)) for a in range(b)}
    assert counts == {pair: count for pair, count in naive_counts.items() if count}


@pytest.mark.slow
@given(st.integers(0, 200), st.integers(1, 7), st.integers(MIN_BUDGET * 2, MIN_BUDGET * 40))
def test_the_budget_and_the_number_of_shards_change_no_cluster(count: int, shards: int, budget: int) -> None:
    random = np.random.default_rng(count)
    families = random.integers(0, VALUES_END, (count // 10 + 1, 12), dtype=np.uint64)
    sketches = Sketches.from_sketches(np.unique(families[i // 10, i % 10 :]) for i in range(count))
    exact = [i % 150 for i in range(count)]
    duplicates = duplicate_labels(sketches, exact)
    shared = [count_shared(sketches.within(*r), duplicates, common=9, budget=budget) for r in value_ranges(shards)]
    merged = merge_shared(sketches, duplicates, shared, budget=budget)
    at_once = cluster(sketches, exact=exact, common=9)
    assert merged.labels.tolist() == at_once.labels.tolist()
    assert merged.duplicates.tolist() == at_once.duplicates.tolist()


def test_equal_ranges_have_every_value_once() -> None:
    assert value_ranges(1) == [(0, VALUES_END)]
    assert value_ranges(4) == ranges({2**62, 2**63, 3 * 2**62})
    assert [end for _, end in value_ranges(3)][:-1] == [start for start, _ in value_ranges(3)][1:]


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="0 ranges are asked for; 1 is the least"):
        value_ranges(0)
    with pytest.raises(ValueError, match="common is 0"):
        count_shared(sketched([{1}]), np.arange(1), common=0)
    with pytest.raises(ValueError, match="threshold is 2"):
        merge_shared(sketched([{1}]), np.arange(1), [], threshold=2)
