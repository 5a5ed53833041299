import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.hashing import permute, random_words
from tests.fingerprint import naive

SEEDS = st.integers(0, 2**64 - 1)
GOLDEN_PERMUTED = [
    0x7CAF10C0925339A5,
    0x33CAF6A44AA81BD6,
    0x1FC681318A2D5D58,
]
GOLDEN_PERMUTED_40 = [
    0x9AED7414F8,
    0x551E39720,
    0xA98496784A,
]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=5), SEEDS)
def test_permute_agrees_with_its_definition(values: list[int], seed: int) -> None:
    for bits in (64, 40, 7):
        small = [value % 2**bits for value in values]
        assert permute(np.array(small, dtype=np.uint64), seed, bits).tolist() == [
            naive.permute(value, seed, bits) for value in small
        ]


@given(SEEDS, st.integers(1, 10))
def test_permute_is_a_permutation(seed: int, bits: int) -> None:
    everything = np.arange(2**bits, dtype=np.uint64)
    assert np.array_equal(np.sort(permute(everything, seed, bits)), everything)


def test_forty_bit_permutations_stay_in_forty_bits_and_keep_values_distinct() -> None:
    permuted = permute(np.arange(100_000), 3, bits=40)
    assert len(np.unique(permuted)) == 100_000
    assert 2**39 < permuted.max() < 2**40


def test_permutations_are_the_same_in_every_version() -> None:
    assert permute(np.array([0, 1, 2**64 - 1], dtype=np.uint64), 1).tolist() == GOLDEN_PERMUTED
    assert permute(np.array([0, 1, 2**40 - 1]), 1, bits=40).tolist() == GOLDEN_PERMUTED_40


def test_permute_keeps_the_shape() -> None:
    grid = np.arange(6).reshape(2, 3)
    assert permute(grid, 9).shape == (2, 3)
    assert permute(grid.T, 9).tolist() == permute(grid, 9).T.tolist()


def test_every_value_of_a_set_is_equally_often_the_smallest() -> None:
    winners = np.array([int(np.argmin(permute(np.arange(20), seed))) for seed in range(4000)])
    counts = np.bincount(winners, minlength=20)
    assert ((counts - 200) ** 2 / 200).sum() < 19 + 5 * (2 * 19) ** 0.5


@given(SEEDS, st.integers(0, 5))
def test_the_words_of_a_seed_agree_with_the_definition(seed: int, count: int) -> None:
    assert random_words(seed, count).tolist() == [naive.split_mix(seed, turn + 1) for turn in range(count)]


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_is_no_word_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seed is {seed}; a seed is 0 to"):
        permute(np.arange(3), seed)


@pytest.mark.parametrize("bits", [0, 65])
def test_words_of_impossible_length_are_refused(bits: int) -> None:
    with pytest.raises(ValueError, match=f"bits is {bits}; values have 1 to 64 bits"):
        permute(np.arange(3), 1, bits)


def test_values_outside_the_permuted_range_are_refused() -> None:
    with pytest.raises(ValueError, match="value 256 has more than 8 bits; it is at most 255"):
        permute(np.array([3, 256]), 1, bits=8)
