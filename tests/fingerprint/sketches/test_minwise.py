from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from fingerprint.kernels.types import Hashes
from fingerprint.sketches.minwise import (
    Filter,
    acceptance,
    choose,
    features,
    min_wise,
    min_wise_resemblance,
    shared_features,
    super_features,
)
from tests.fingerprint import naive

TRIALS = 1000
VALUE_LISTS = st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1), min_size=1, max_size=8)
SEEDS = st.integers(0, 2**64 - 1)
RHO = st.floats(0, 1)
GOLDEN_MINIMA = [0x1DC72B9E0CEF3654, 0x5512FCD0A95695AE, 0x20FA42F627456C26]
GOLDEN_FEATURES = [
    0xF146B9815233D92,
    0x18FBF4E6ED787A26,
    0xD873D885302BBC39,
    0x50CF256FC14616A6,
    0x523A6C0B63668F1,
    0x27587A0F787C6997,
]


def array(values: list[int] | range) -> Hashes:
    return np.array(values, dtype=np.uint64)


def pair(resemblance: float, size: int = 1000) -> tuple[Hashes, Hashes]:
    """Return two sets of consecutive numbers whose union has `size` values."""
    common = round(resemblance * size)
    ends = (size - common) // 2
    return array(range(common + ends)), array(range(ends, size))


@given(VALUE_LISTS, st.integers(1, 6), SEEDS)
def test_min_wise_sketches_agree_with_the_definition(values: list[int], count: int, seed: int) -> None:
    assert min_wise(array(values), count, seed).tolist() == naive.min_wise(values, count, seed)


@given(VALUE_LISTS, st.integers(1, 4), st.integers(1, 4), SEEDS)
def test_features_agree_with_the_definition(values: list[int], k: int, s: int, seed: int) -> None:
    assert features(array(values), k, s, seed).tolist() == naive.features(values, k, s, seed)


@given(VALUE_LISTS)
def test_order_and_repeats_of_values_have_no_effect(values: list[int]) -> None:
    twice = array(values[::-1] * 2)
    assert features(twice).tolist() == features(array(values)).tolist()


def test_features_are_the_same_in_every_version() -> None:
    assert min_wise(array([1, 2, 3]), 3, seed=5).tolist() == GOLDEN_MINIMA
    assert features(array([1, 2, 3])).tolist() == GOLDEN_FEATURES


@pytest.mark.parametrize("resemblance", [0.1, 0.5, 0.9])
def test_the_min_wise_estimate_of_resemblance_is_unbiased(resemblance: float) -> None:
    left, right = pair(resemblance, size=200)
    estimates = np.array(
        [min_wise_resemblance(min_wise(left, 84, seed), min_wise(right, 84, seed)) for seed in range(TRIALS)]
    )
    deviation = (resemblance * (1 - resemblance) / 84) ** 0.5
    assert abs(estimates.mean() - resemblance) < 3 * deviation / TRIALS**0.5
    assert estimates.std() == pytest.approx(deviation, rel=0.1)


@given(RHO, st.integers(1, 6), st.integers(1, 20), st.integers(1, 6))
def test_acceptance_is_the_sum_over_sets_of_shared_features(rho: float, k: int, s: int, r: int) -> None:
    assume(r <= k)
    assert acceptance(rho, k, s, r) == pytest.approx(naive.acceptance(rho, k, s, r), abs=1e-12)


@given(st.lists(RHO, min_size=2, max_size=5), st.integers(1, 6), st.integers(1, 20))
def test_acceptance_of_an_array_is_that_of_each_number(rhos: list[float], k: int, s: int) -> None:
    curve = acceptance(np.array(rhos), k, s, 1)
    assert curve.tolist() == pytest.approx([acceptance(rho, k, s, 1) for rho in rhos], abs=1e-12)


def test_the_papers_filter_accepts_half_of_the_pairs_at_0_909() -> None:
    assert acceptance(0.909, 6, 14, 2) < 0.5 < acceptance(0.910, 6, 14, 2)


def test_the_papers_features_take_under_fifty_bytes_a_document() -> None:
    assert features(array(range(1000))).nbytes == 48


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_sharing_a_super_feature_is_sharing_r_features(agree: list[bool], r: int) -> None:
    assume(r <= len(agree))
    left = array(range(len(agree)))
    right = np.where(agree, left, left + np.uint64(100))
    shared = np.intersect1d(super_features(left, r), super_features(right, r))
    assert (len(shared) >= 1) == (shared_features(left, right) >= r)


def test_the_number_of_super_features_is_that_of_the_paper() -> None:
    assert len(super_features(features(array(range(50))), 2)) == 15


@pytest.mark.parametrize("target", [0.5, 0.8, 0.909, 0.95, 0.99])
def test_the_chosen_filter_meets_the_error_and_is_half_open_near_the_target(target: float) -> None:
    chosen = choose(target)
    grid = (np.arange(20_000) + 0.5) / 20_000
    curve = acceptance(grid, *chosen)
    total = np.where(grid < target, curve, 1 - curve).mean()
    assert total <= 0.4 * (1 - target) + 1e-4
    assert 0.2 < acceptance(target, *chosen) < 0.8


@pytest.mark.parametrize(("target", "error"), [(0.8, 0.07), (0.6, 0.15), (0.9, 0.04)])
def test_no_cheaper_filter_meets_the_error(target: float, error: float) -> None:
    grid = (np.arange(1000) + 0.5) / 1000
    chosen = choose(target, error)
    for k in range(1, chosen.k + 1):
        for s in range(1, chosen.s if k == chosen.k else 60):
            for r in range(1, k + 1):
                curve = acceptance(grid, k, s, r)
                assert np.where(grid < target, curve, 1 - curve).mean() > error - 1e-4


def test_a_smaller_error_takes_more_features() -> None:
    loose, tight = choose(0.909, 0.05), choose(0.909, 0.03)
    assert isinstance(loose, Filter)
    assert loose.k < tight.k


VALUES = array(range(10))


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: min_wise(VALUES, 0), "count is 0; it is at least 1"),
        (lambda: min_wise(array([]), 3), "the set is empty; a min-wise sketch needs at least 1 value"),
        (lambda: min_wise(VALUES, 3, seed=-1), "seed is -1; a seed is 0 to"),
        (lambda: features(VALUES, k=0), "k is 0; it is at least 1"),
        (lambda: features(VALUES, s=0), "s is 0; it is at least 1"),
        (lambda: features(array([])), "the set is empty"),
        (lambda: shared_features(VALUES, VALUES[:3]), "vectors of 10 and 3 places"),
        (lambda: min_wise_resemblance(array([]), array([])), "vectors of 0 and 0 places"),
        (lambda: super_features(VALUES, 0), "r is 0; a super-feature joins 1 to 10 of these features"),
        (lambda: super_features(VALUES, 11), "r is 11; a super-feature joins 1 to 10 of these features"),
        (lambda: acceptance(1.1, 6, 14, 2), "rho is 1.1; a resemblance is in"),
        (lambda: acceptance(-0.1, 6, 14, 2), "rho is -0.1; a resemblance is in"),
        (lambda: acceptance(float("nan"), 6, 14, 2), "rho is nan; a resemblance is in"),
        (lambda: acceptance(0.5, 0, 14, 1), "k is 0; it is at least 1"),
        (lambda: acceptance(0.5, 6, 0, 1), "s is 0; it is at least 1"),
        (lambda: acceptance(0.5, 6, 14, 0), "r is 0; of 6 features 1 to 6 can be shared"),
        (lambda: acceptance(0.5, 6, 14, 7), "r is 7; of 6 features 1 to 6 can be shared"),
        (lambda: choose(0), "target is 0; it is above 0 and at most 0.999"),
        (lambda: choose(1), "target is 1; it is above 0 and at most 0.999"),
        (lambda: choose(float("nan")), "target is nan; it is above 0"),
        (lambda: choose(0.9, 0), "error is 0; it lies between 0 and 1"),
        (lambda: choose(0.9, 0.05, most_features=0), "most_features is 0; it is at least 1"),
        (lambda: choose(0.9, 1e-6, 3), "error is 1e-06; with up to 3 features and target 0.9 it is at least"),
    ],
)
def test_impossible_arguments_are_refused(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        call()
