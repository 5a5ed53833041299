"""Karp-Rabin hashes of k-grams (winnowing, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Hashes


BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication modulo 2**64 is reversible
MIXER = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)


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

    Parameters
    ----------
    kinds : integer array of n symbols (token kinds)
    k : number of symbols in a k-gram, at least 1

    Returns
    -------
    uint64 array of max(0, n - k + 1) hashes. They are mixed, so that small symbols do not skew the minimum.
    They depend only on the symbols and `k`: they are the same in every run and on every machine.

    Raises
    ------
    ValueError
        When `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; a k-gram has at least 1 symbol")
    hashes = np.empty(max(0, len(kinds) - k + 1), dtype=np.uint64)
    if len(hashes):
        _fill_hashes(np.ascontiguousarray(kinds).astype(np.uint64, copy=False), k, hashes)
    return hashes
