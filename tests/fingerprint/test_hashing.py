import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.hashing import kgram_hashes
from tests.fingerprint import naive

SYMBOLS = st.lists(st.integers(0, 3), max_size=30)
WORDS = st.lists(st.integers(0, 2**64 - 1), max_size=12)


GOLDEN_TEXT = [
    0x808F0FB87823C43D,
    0x14ABC0A48A02B9D5,
    0x1A674C652623BF5B,
    0x3D4A525CD85CE40E,
    0x3F395DE4E3C53802,
    0xE62A673E96214527,
    0x3D4A525CD85CE40E,
    0x3F395DE4E3C53802,
]
GOLDEN_WORDS = [0x15BDC10E5CD3B0C9, 0x9CE4E5B839C9CB72]


def hashed(symbols: list[int], k: int) -> list[int]:
    hashes: list[int] = kgram_hashes(np.array(symbols, dtype=np.uint64), k).tolist()
    return hashes


@given(SYMBOLS | WORDS, st.integers(1, 8))
def test_rolling_hashes_are_the_polynomial_of_each_kgram(symbols: list[int], k: int) -> None:
    assert hashed(symbols, k) == naive.kgram_hashes(symbols, k)


@given(SYMBOLS, SYMBOLS, SYMBOLS, st.integers(1, 4))
def test_the_hash_of_a_kgram_does_not_depend_on_its_position(
    before: list[int], run: list[int], after: list[int], k: int
) -> None:
    expected = hashed(run, k)
    assert hashed(before + run + after, k)[len(before) :][: len(expected)] == expected


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


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match=f"k is {k}; a k-gram has at least 1 symbol"):
        kgram_hashes(np.zeros(3, dtype=np.uint64), k)


@pytest.mark.parametrize("position", range(4))
def test_every_symbol_of_a_kgram_affects_every_bit(position: int) -> None:
    letters = np.random.default_rng(position).integers(0, 256, (4000, 4), dtype=np.uint64)
    changed = letters.copy()
    changed[:, position] ^= np.uint64(1)
    flips = kgram_hashes(letters.ravel(), 4)[::4] ^ kgram_hashes(changed.ravel(), 4)[::4]
    share = np.array([np.mean(flips >> np.uint64(bit) & np.uint64(1)) for bit in range(64)])
    assert share.min() > 0.4
    assert share.max() < 0.6


def test_hashes_of_small_symbols_are_uniform_in_high_and_low_bits() -> None:
    symbols = np.random.default_rng(7).integers(0, 256, 1 << 18, dtype=np.uint8)
    hashes = kgram_hashes(symbols, 8)
    expected = len(hashes) / 256
    for shift in (0, 24, 56):
        counts = np.bincount((hashes >> np.uint64(shift) & np.uint64(255)).astype(np.int64), minlength=256)
        chi_square = float(((counts - expected) ** 2 / expected).sum())
        assert chi_square < 255 + 5 * (2 * 255) ** 0.5


@given(st.lists(st.integers(0, 3), min_size=4, max_size=40))
def test_different_kgrams_have_different_hashes(symbols: list[int]) -> None:
    grams = {tuple(symbols[i : i + 4]) for i in range(len(symbols) - 3)}
    assert len(set(hashed(symbols, 4))) == len(grams)
