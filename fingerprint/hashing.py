"""Karp-Rabin hashes of k-grams (winnowing, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Hashes


BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing modulo 2**64
MIX = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)


@njit
def _rolling(kinds: Hashes, k: int, hashes: Hashes) -> None:
    top = np.uint64(1)
    for _ in range(k):
        top *= BASE
    rolled = np.uint64(0)
    for i in range(k):
        rolled = (rolled + kinds[i]) * BASE
    for i in range(len(hashes)):
        mixed = (rolled ^ (rolled >> SHIFT)) * MIX
        hashes[i] = mixed ^ (mixed >> SHIFT)
        if i + k < len(kinds):
            rolled = (rolled - kinds[i] * top + kinds[i + k]) * BASE


def kgram_hashes(kinds: npt.NDArray[np.integer], k: int) -> Hashes:
    """Hash every run of `k` symbols; the last symbol reaches every bit (section 2.2, H').

    Parameters
    ----------
    kinds : integer array of n symbols
    k : symbols in a k-gram, at least 1

    Returns
    -------
    uint64 array of max(0, n - k + 1) hashes, mixed so that small symbols do not skew the minimum.
    They depend on nothing but the symbols and `k`: the same in every run and on every machine.

    Raises
    ------
    ValueError
        When `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; a k-gram has at least 1 symbol")
    hashes = np.empty(max(0, len(kinds) - k + 1), dtype=np.uint64)
    if len(hashes):
        _rolling(np.ascontiguousarray(kinds).astype(np.uint64, copy=False), k, hashes)
    return hashes
