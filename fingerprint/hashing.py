"""Karp-Rabin hashes of k-grams (winnowing, section 2.2), and seeded permutations of 64-bit values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel
from fingerprint.kernels.types import Hashes

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication modulo 2**64 is reversible
MIXER = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)

WORD_BITS = 64
ROUNDS = 3
GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << WORD_BITS) - 1


@kernel
def _fill_hashes(kinds: Hashes, k: int, hashes: Hashes) -> None:
    leaving_factor = np.uint64(1)
    for _ in range(k):
        leaving_factor *= BASE
    rolling = np.uint64(0)
    for i in range(k):
        rolling = (rolling + kinds[i]) * BASE
    for i in range(len(hashes)):
        mixed = (rolling ^ (rolling >> SHIFT)) * MIXER
        hashes[i] = mixed ^ (mixed >> SHIFT)
        if i + k < len(kinds):
            rolling = (rolling - kinds[i] * leaving_factor + kinds[i + k]) * BASE


def kgram_hashes(kinds: npt.NDArray[np.integer], k: int) -> Hashes:
    """Return the hash of every k-gram, by H' of section 2.2: the last symbol too affects every bit.

    kinds : integer array of n symbols (token kinds)
    k : number of symbols in a k-gram, at least 1

    Returns: uint64 array of max(0, n - k + 1) hashes. They are mixed, so that small symbols do not skew the
    minimum. They depend only on the symbols and `k`: they are the same in every run and on every machine.
    Raises ValueError when `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; a k-gram has at least 1 symbol")
    hashes = np.empty(max(0, len(kinds) - k + 1), dtype=np.uint64)
    if len(hashes):
        _fill_hashes(np.ascontiguousarray(kinds).astype(np.uint64, copy=False), k, hashes)
    return hashes


def random_words(seed: int, count: int) -> Hashes:
    """Return `count` pseudo-random uint64 words of a seed (SplitMix64), the same on every machine.

    Raises ValueError when `seed` is not in 0 .. 2**64 - 1.
    """
    if not 0 <= seed <= MASK:
        raise ValueError(f"seed is {seed}; a seed is 0 to 2**64 - 1")
    steps = np.arange(1, count + 1, dtype=np.uint64)
    words = np.uint64(seed) + steps * np.uint64(GOLDEN)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = words ^ (words >> np.uint64(31))
    return mixed


@lru_cache(maxsize=256)
def _keys(seed: int) -> Hashes:
    keys = random_words(seed, 2 * ROUNDS)
    keys[1::2] |= np.uint64(1)
    return keys


@lru_cache(maxsize=64)
def linear_maps(seed: int, count: int) -> tuple[Hashes, Hashes]:
    """Return the odd factors and the terms of `count` pseudo-random maps x -> factor * x + term modulo 2**64.

    Each map is a permutation of the 64-bit values. On values that are mixed already it can replace a random
    permutation (near-duplicate-features, section 2).

    Returns: two uint64 arrays of `count` values: factors and terms.
    """
    words = random_words(seed ^ 1, 2 * count)
    return words[:count] | np.uint64(1), words[count:]


@kernel
def _permute(values: Hashes, keys: Hashes, bits: int, permuted: Hashes) -> None:
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - bits)
    half = np.uint64((bits + 1) // 2)
    for i in range(len(values)):
        value = values[i]
        for step in range(ROUNDS):  # add, multiply by an odd number, xor the high half in: all reversible
            value = ((value + keys[2 * step]) * keys[2 * step + 1]) & mask
            value ^= value >> half
        permuted[i] = value


def permute(values: npt.NDArray[np.integer], seed: int, bits: int = WORD_BITS) -> Hashes:
    """Apply the pseudo-random permutation of [0, 2**bits) of a seed (syntactic-clustering, "Estimating ...").

    values : integer array, any shape, each below 2**bits
    seed : 0 to 2**64 - 1; equal seeds give equal permutations on every machine
    bits : 1 to 64; the paper's values have 40

    Returns: uint64 array of the same shape; distinct values stay distinct. Raises ValueError when `seed` or
    `bits` is out of range, or a value needs more than `bits` bits.
    """
    if not 1 <= bits <= WORD_BITS:
        raise ValueError(f"bits is {bits}; values have 1 to {WORD_BITS} bits")
    words = np.ascontiguousarray(values).astype(np.uint64, copy=False)
    if bits < WORD_BITS and words.size and int(words.max()) >> bits:
        raise ValueError(f"value {words.max()} has more than {bits} bits; it is at most {(1 << bits) - 1}")
    permuted = np.empty_like(words)
    _permute(words.ravel(), _keys(seed), bits, permuted.ravel())
    return permuted
