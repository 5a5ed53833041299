import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.minwise import binned_min_wise, min_wise_resemblance
from tests.fingerprint import naive

TRIALS = 1000
SET = np.arange(1000, dtype=np.uint64)
VALUE_LISTS = st.lists(st.integers(0, 9), min_size=1, max_size=8)

GOLDEN = [0x2021B753183F576C, 0x66D226C3730A1E6F, 0x6B867DB5DF6CEA2C]


@given(VALUE_LISTS, st.integers(1, 8), st.integers(0, 2**64 - 1))
def test_binned_sketches_agree_with_the_definition(values: list[int], count: int, seed: int) -> None:
    sketch = binned_min_wise(np.array(values, dtype=np.uint64), count, seed)
    assert sketch.tolist() == naive.binned_min_wise(values, count, seed)


def test_binned_sketches_are_the_same_in_every_version() -> None:
    assert binned_min_wise(SET[1:4], 3, seed=5).tolist() == GOLDEN


@given(VALUE_LISTS)
def test_order_and_repeats_of_values_have_no_effect(values: list[int]) -> None:
    once, twice = SET[values], SET[values[::-1] * 2]
    assert binned_min_wise(once, 16).tolist() == binned_min_wise(twice, 16).tolist()


@pytest.mark.parametrize("size", [10, 100, 1000])
@pytest.mark.parametrize("resemblance", [0.2, 0.5, 0.8])
def test_the_estimate_is_unbiased_and_varies_no_more_than_min_wise(size: int, resemblance: float) -> None:
    ends = round((1 - resemblance) * size / 2)
    left, right = SET[: size - ends], SET[ends:size]
    truth = (size - 2 * ends) / size
    estimates = np.array(
        [
            min_wise_resemblance(binned_min_wise(left, 64, seed), binned_min_wise(right, 64, seed))
            for seed in range(TRIALS)
        ]
    )
    deviation = (truth * (1 - truth) / 64) ** 0.5
    assert abs(estimates.mean() - truth) < 3 * deviation / TRIALS**0.5
    assert estimates.std() < 1.1 * deviation


@pytest.mark.parametrize("count", [0, 2**20 + 1])
def test_an_impossible_number_of_places_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"count is {count}; a sketch has 1 to 1048576 places"):
        binned_min_wise(SET[:3], count)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(ValueError, match="the set is empty; a min-wise sketch needs at least 1 value"):
        binned_min_wise(SET[:0], 3)
