"""Hashes, permutations, and the distinct values of an array."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.distinct import distinct_values, first_places, numbered
from fingerprint.hashing import kgram_hashes, permute, random_words
from fingerprint.reading import UNKNOWN, Reading, read
from tests.fingerprint import naive

SYMBOLS = st.lists(st.integers(0, 3), max_size=30)


WORDS = st.lists(st.integers(0, 2**64 - 1), max_size=12)


GOLDEN_TEXT = [
    0x808F0FB87823C43D, 0x14ABC0A48A02B9D5, 0x1A674C652623BF5B, 0x3D4A525CD85CE40E, 0x3F395DE4E3C53802,
    0xE62A673E96214527, 0x3D4A525CD85CE40E, 0x3F395DE4E3C53802,
]  # fmt: skip


GOLDEN_WORDS = [0x15BDC10E5CD3B0C9, 0x9CE4E5B839C9CB72]


def hashed(symbols: list[int], k: int) -> list[int]:
    hashes: list[int] = kgram_hashes(np.array(symbols, dtype=np.uint64), k).tolist()
    return hashes


@given(SYMBOLS | WORDS, st.integers(1, 8))
def test_rolling_hashes_are_the_polynomial_of_each_kgram(symbols: list[int], k: int) -> None:
    assert hashed(symbols, k) == naive.kgram_hashes(symbols, k)


def test_the_hash_is_the_same_in_every_version() -> None:
    text = np.frombuffer(b"adorunrunrun", dtype=np.uint8)
    assert kgram_hashes(text, 5).tolist() == GOLDEN_TEXT
    assert hashed([2**64 - 1, 0, 2**63], 2) == GOLDEN_WORDS


def test_every_integer_width_gives_the_same_hashes() -> None:
    symbols = [1, 2, 3, 100, 5]
    widths = (np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64)
    assert {tuple(kgram_hashes(np.array(symbols, dtype=width), 3).tolist()) for width in widths} == {
        tuple(hashed(symbols, 3))
    }


def test_a_view_with_strides_is_hashed_as_its_copy() -> None:
    symbols = np.arange(20, dtype=np.uint64)
    assert kgram_hashes(symbols[::2], 3).tolist() == kgram_hashes(symbols[::2].copy(), 3).tolist()


@pytest.mark.parametrize("symbols", [[], [1], [1, 2]])
def test_fewer_than_k_symbols_have_no_kgram(symbols: list[int]) -> None:
    hashes = kgram_hashes(np.array(symbols, dtype=np.uint64), 3)
    assert hashes.shape == (0,)
    assert hashes.dtype == np.uint64


THREE = np.arange(3, dtype=np.uint64)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        *[(lambda k=k: kgram_hashes(THREE, k), f"k is {k}; a k-gram has at least 1 symbol") for k in (0, -1)],
        *[(lambda seed=seed: permute(THREE, seed), f"seed is {seed}; a seed is 0 to") for seed in (-1, 2**64)],
        *[(lambda bits=bits: permute(THREE, 1, bits), f"bits is {bits}; values have 1 to 64 bits") for bits in (0, 65)],
        (lambda: permute(np.array([3, 256]), 1, bits=8), "value 256 has more than 8 bits; it is at most 255"),
    ],
)
def test_impossible_arguments_are_refused(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        call()


SEEDS = st.integers(0, 2**64 - 1)


GOLDEN_PERMUTED = [0x7CAF10C0925339A5, 0x33CAF6A44AA81BD6, 0x1FC681318A2D5D58]


GOLDEN_PERMUTED_40 = [0x9AED7414F8, 0x551E39720, 0xA98496784A]


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


@given(SEEDS, st.integers(0, 5))
def test_the_words_of_a_seed_agree_with_the_definition(seed: int, count: int) -> None:
    assert random_words(seed, count).tolist() == [naive.split_mix(seed, turn + 1) for turn in range(count)]


VALUES = hnp.arrays(
    st.sampled_from((np.uint64, np.int64, np.int32, np.uint8)),
    st.integers(0, 60),
    elements=st.integers(0, 100),
)


@given(VALUES)
def test_distinct_values_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    expected = np.unique(values)
    distinct = distinct_values(values)
    assert distinct.dtype == expected.dtype
    assert distinct.tolist() == expected.tolist()


@given(VALUES)
def test_numbers_of_values_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    expected, inverse = np.unique(values, return_inverse=True)
    distinct, numbers = numbered(values)
    assert distinct.dtype == expected.dtype
    assert (distinct.tolist(), numbers.tolist()) == (expected.tolist(), inverse.tolist())


@given(VALUES)
def test_first_places_are_those_of_numpy(values: np.ndarray[tuple[int], np.dtype[np.integer]]) -> None:
    assert first_places(values).tolist() == np.unique(values, return_index=True)[1].tolist()


def test_hashes_with_the_highest_bit_are_in_order() -> None:
    values = np.array([2**64 - 1, 0, 2**63, 2**64 - 1], dtype=np.uint64)
    assert distinct_values(values).tolist() == [0, 2**63, 2**64 - 1]


SOURCES = {
    "python": """
import os

def total(values, start=0):
    for value in values:
        start += value * 2
    return start, "sum"
""",
    "java": """
import os.List;

class Sum {
    int total(List<Integer> values) {
        int sum = 0;
        for (int value : values) sum += value * 2;
        System.out.println("sum");
        return sum;
    }
}
""",
    "c": """
#include <os.h>
int total(int *values, int n) {
    int sum = 0;
    while (n--) sum += values[n] * 2;
    printf("sum");
    return sum;
}
""",
    "haskell": """
import os
total values = foldr (\\value sum -> sum + value * 2) 0 values
shown values = "sum" ++ show (total values)
""",
}
COMMENTS = {"python": "# new\n", "java": "// new\n", "c": "/* new */\n", "haskell": "-- new\n"}
LANGUAGES = pytest.mark.parametrize("language", SOURCES)


def read_as(language: str, source: str) -> Reading:
    return read(source.encode(), "", language, spelling=True)


@LANGUAGES
def test_layout_and_comments_change_neither_digest(language: str) -> None:
    source = SOURCES[language]
    changed = COMMENTS[language] + source.replace("\n", "\n\n").replace(" + ", "  +  ").replace(" * ", "  *  ")
    assert changed != source
    assert read_as(language, changed).spelling == read_as(language, source).spelling


@LANGUAGES
def test_a_name_changes_one_digest_and_not_the_other(language: str) -> None:
    source = SOURCES[language]
    before, after = (read_as(language, text) for text in (source, source.replace("values", "numbers")))
    assert before.tokens.kinds.tolist() == after.tokens.kinds.tolist()
    assert before.spelling.tokens != after.spelling.tokens
    assert before.spelling.without_names == after.spelling.without_names


@LANGUAGES
@pytest.mark.parametrize(("old", "new"), [("2", "3"), ('"sum"', '"all"'), ("*", "-"), ("os", "sys")])
def test_whatever_is_no_name_changes_both_digests(language: str, old: str, new: str) -> None:
    source = SOURCES[language]
    assert old in source
    before, after = (read_as(language, text).spelling for text in (source, source.replace(old, new)))
    assert before.tokens != after.tokens
    assert before.without_names != after.without_names


def test_types_that_normalisation_makes_equal_are_told_apart() -> None:
    before, after = (read_as("java", SOURCES["java"].replace("int sum", f"{kind} sum")) for kind in ("int", "long"))
    assert before.tokens.kinds.tolist() == after.tokens.kinds.tolist()
    assert before.spelling.without_names != after.spelling.without_names


def test_the_digests_are_made_where_they_are_asked_for() -> None:
    assert read(SOURCES["c"].encode(), "sum.c").spelling == UNKNOWN
