from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from fingerprint.hashing import permute
from fingerprint.kernels.types import Hashes
from fingerprint.sketches.shingling import (
    AdaptiveSketch,
    adaptive_containment,
    adaptive_resemblance,
    adaptive_sketch,
    coarsen,
    containment,
    min_resemblance,
    min_sketch,
    mod_containment,
    mod_resemblance,
    mod_sketch,
    resemblance,
    shingles,
    super_shingles,
)
from fingerprint.winnowing import ENGINE_VERSION
from tests.fingerprint import naive

TRIALS = 1000
TOKENS = st.lists(st.integers(0, 2), min_size=1, max_size=30)
VALUES = st.lists(st.integers(0, 9), max_size=12)
NON_EMPTY_VALUES = st.lists(st.integers(0, 9), min_size=1, max_size=12)
SEEDS = st.integers(0, 2**64 - 1)

GOLDEN_SHINGLES = [0x18934F6DB3654256, 0x1E3D6061610F88CA, 0x3460A0FA1AACD527]


def array(values: list[int] | range) -> Hashes:
    return np.array(values, dtype=np.uint64)


# Two sets of consecutive numbers, which are the least random, with r = 1/2 and c = 3/4 and 3/5.
LEFT, RIGHT = array(range(400)), array(range(100, 600))


def assert_unbiased(estimate: Callable[[Hashes, Hashes], float], truth: float) -> None:
    trials = np.array([estimate(permute(LEFT, seed), permute(RIGHT, seed)) for seed in range(TRIALS)])
    assert trials.std() > 0
    assert abs(trials.mean() - truth) < 3 * trials.std(ddof=1) / TRIALS**0.5


@given(TOKENS, st.integers(1, 5), st.sampled_from([32, 40, 63, 64]))
def test_shingles_are_the_distinct_runs(tokens: list[int], w: int, bits: int) -> None:
    assume(w <= len(tokens))
    assert shingles(array(tokens), w, bits).tolist() == naive.shingles(tokens, w, bits)


def test_shingles_are_the_same_in_every_version() -> None:
    assert shingles(array([1, 2, 3, 1, 2]), 3).tolist() == GOLDEN_SHINGLES
    assert shingles(array([1, 2, 3, 1, 2]), 3, bits=40).tolist() == [s >> 24 for s in GOLDEN_SHINGLES]


@given(VALUES, VALUES)
def test_resemblance_and_containment_are_those_of_the_sets(a: list[int], b: list[int]) -> None:
    assume(a)
    assert resemblance(array(a), array(b)) == naive.resemblance(a, b)
    assert containment(array(a), array(b)) == naive.containment(a, b)


@given(NON_EMPTY_VALUES, st.integers(1, 10))
def test_min_sketch_contains_the_smallest_values(values: list[int], s: int) -> None:
    assume(s <= len(set(values)))
    assert min_sketch(array(values), s).tolist() == sorted(set(values))[:s]


@given(NON_EMPTY_VALUES, st.integers(1, 5))
def test_mod_sketch_contains_the_multiples(values: list[int], m: int) -> None:
    assert mod_sketch(array(values), m).tolist() == sorted(v for v in set(values) if v % m == 0)


@given(NON_EMPTY_VALUES, NON_EMPTY_VALUES, st.integers(1, 10))
def test_the_min_estimate_is_that_of_the_theorem(a: list[int], b: list[int], s: int) -> None:
    assume(s <= min(len(set(a)), len(set(b))))
    left, right = min_sketch(array(a), s), min_sketch(array(b), s)
    assert min_resemblance(left, right) == naive.min_resemblance(left.tolist(), right.tolist())


def test_min_sketches_of_unequal_size_are_compared_at_the_smaller_size() -> None:
    a, b = min_sketch(permute(LEFT, 1), 30), min_sketch(permute(RIGHT, 1), 100)
    assert min_resemblance(a, b) == min_resemblance(a, b[:30])


@pytest.mark.parametrize("m", [8, 25])
def test_the_mod_estimates_of_resemblance_and_containment_are_unbiased(m: int) -> None:
    assert_unbiased(lambda a, b: mod_resemblance(mod_sketch(a, m), mod_sketch(b, m)), 1 / 2)
    assert_unbiased(lambda a, b: mod_containment(mod_sketch(a, m), mod_sketch(b, m)), 3 / 4)


def test_the_adaptive_estimates_are_unbiased_for_documents_of_unequal_size() -> None:
    def sketches(a: Hashes, b: Hashes) -> tuple[AdaptiveSketch, AdaptiveSketch]:
        small, large = adaptive_sketch(a[:150]), adaptive_sketch(b)
        assert (small.level, large.level) == (1, 3)
        return small, large

    assert_unbiased(lambda a, b: adaptive_resemblance(*sketches(a, b)), 50 / 600)
    assert_unbiased(lambda a, b: adaptive_containment(*sketches(a, b)), 50 / 150)


@pytest.mark.parametrize("size", [1, 50, 99, 100, 101, 199, 200, 399, 400, 5000, 12799, 12800])
def test_an_adaptive_sketch_expects_fifty_to_a_hundred_values(size: int) -> None:
    sketches = [adaptive_sketch(permute(np.arange(size), seed)) for seed in range(50)]
    mean = np.mean([len(sketch.values) for sketch in sketches])
    expected = size / 2 ** sketches[0].level
    assert 50 <= expected < 100 or (expected == size < 50)
    assert abs(mean - expected) < 3 * (expected / 50) ** 0.5 + 1e-9


@given(st.integers(1, 2000), st.integers(0, 12), SEEDS)
def test_a_coarsened_sketch_equals_that_of_the_whole_set(size: int, more: int, seed: int) -> None:
    values = permute(np.arange(size), seed)
    fine = adaptive_sketch(values)
    coarse = coarsen(fine, fine.level + more)
    assert coarse.level == fine.level + more
    assert coarse.values.tolist() == mod_sketch(values, 2**coarse.level).tolist()


@given(NON_EMPTY_VALUES, st.integers(1, 6))
def test_super_shingles_are_shingles_of_the_sorted_sketch(sketch: list[int], size: int) -> None:
    assume(size <= len(set(sketch)))
    assert super_shingles(array(sketch), size).tolist() == naive.super_shingles(sketch, size)


def test_a_sketch_of_another_engine_version_is_refused() -> None:
    later = ENGINE_VERSION + 1
    old = AdaptiveSketch(LEFT, 0, later)
    with pytest.raises(ValueError, match=f"engine version {later}; only version {later - 1} is compared"):
        adaptive_resemblance(old, adaptive_sketch(LEFT))


EMPTY = array([])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: shingles(LEFT[:3], 0), "w is 0; a shingle of this document has 1 to 3 tokens"),
        (lambda: shingles(LEFT[:3], 4), "w is 4; a shingle of this document has 1 to 3 tokens"),
        (lambda: shingles(EMPTY, 1), "w is 1; a shingle of this document has 1 to 0 tokens"),
        (lambda: shingles(LEFT, 4, bits=31), "bits is 31; a shingle value has 32 to 64 bits"),
        (lambda: shingles(LEFT, 4, bits=65), "bits is 65; a shingle value has 32 to 64 bits"),
        (lambda: resemblance(EMPTY, EMPTY), "both sets are empty"),
        (lambda: containment(EMPTY, LEFT), "the first set is empty"),
        (lambda: min_sketch(LEFT, 0), "s is 0; a sketch of this set has 1 to 400 values"),
        (lambda: min_sketch(LEFT, 401), "s is 401; a sketch of this set has 1 to 400 values"),
        (lambda: min_sketch(np.repeat(LEFT, 2), 401), "s is 401; a sketch of this set has 1 to 400 values"),
        (lambda: min_sketch(EMPTY, 1), "s is 1; a sketch of this set has 1 to 0 values"),
        (lambda: mod_sketch(LEFT, 0), "m is 0; a modulus is at least 1"),
        (lambda: mod_sketch(EMPTY, 2), "the set is empty"),
        (lambda: adaptive_sketch(EMPTY), "the set is empty"),
        (lambda: coarsen(adaptive_sketch(LEFT), 1), "level is 1; this sketch coarsens to 3 to 63"),
        (lambda: coarsen(adaptive_sketch(LEFT), 64), "level is 64; this sketch coarsens to 3 to 63"),
        (lambda: min_resemblance(EMPTY, LEFT), "sketches hold 0 and 400 values"),
        (lambda: mod_resemblance(EMPTY, EMPTY), "both sets are empty"),
        (lambda: mod_containment(EMPTY, LEFT), "the first set is empty"),
        (lambda: super_shingles(LEFT, 0), "size is 0; a super shingle of this sketch has 1 to 400 values"),
        (
            lambda: super_shingles(LEFT, 401),
            "size is 401; a super shingle of this sketch has 1 to 400 values",
        ),
    ],
)
def test_impossible_arguments_are_refused(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        call()


def test_order_and_repeats_of_values_have_no_effect() -> None:
    shuffled = np.random.default_rng(1).permutation(np.repeat(LEFT, 3))
    for sketch, size in ((min_sketch, 50), (mod_sketch, 3), (super_shingles, 4)):
        assert sketch(shuffled, size).tolist() == sketch(LEFT, size).tolist()
    assert all(a < b for a, b in pairwise(adaptive_sketch(shuffled).values.tolist()))
    assert resemblance(shuffled, RIGHT) == resemblance(LEFT, RIGHT)
