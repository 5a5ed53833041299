"""Min-wise sketches in about one pass over the set, to estimate resemblance; not suitable for `features`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.permutation import linear_maps

if TYPE_CHECKING:
    from fingerprint.types import Hashes, Positions


FIRST_MIX, SECOND_MIX = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
FIRST_SHIFT, SECOND_SHIFT = np.uint64(29), np.uint64(32)
HALF = np.uint64(32)


@njit
def _mix(values: Hashes, factor: np.uint64, term: np.uint64, words: Hashes) -> None:
    for i in range(len(values)):
        word = values[i] * factor + term
        word = (word ^ (word >> FIRST_SHIFT)) * FIRST_MIX
        words[i] = (word ^ (word >> SECOND_SHIFT)) * SECOND_MIX


@njit
def _fill_slots(words: Hashes, turn: int, slots: Hashes, filled: Positions) -> int:
    """Store the least rank of each slot that no earlier turn has filled; return how many are newly filled."""
    count, newly_filled = len(slots), 0
    for word in words:
        # The upper half of the word chooses the slot; from turn `count` on, the turn does.
        slot = ((word >> HALF) * np.uint64(count)) >> HALF if turn < count else np.uint64(turn - count)
        rank = (word << HALF) | (word >> HALF)
        if rank <= slots[slot] and filled[slot] >= turn:
            newly_filled += filled[slot] > turn
            filled[slot] = turn
            slots[slot] = rank
    return newly_filled


@kernel
def _sketch(values: Hashes, factors: Hashes, terms: Hashes, slots: Hashes) -> None:
    empty = len(slots)
    filled = np.full(empty, 2 * empty, dtype=np.int64)  # the turn in which a slot got its first value
    slots[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
    words = np.empty_like(values)
    for turn in range(len(factors)):
        _mix(values, factors[turn], terms[turn], words)
        empty -= _fill_slots(words, turn, slots, filled)
        if empty == 0:
            return


def binned_min_wise(values: Hashes, count: int, seed: int = 0) -> Hashes:
    """Return a sketch whose positions agree with probability r(A, B), like `min_wise`, in about one pass.

    In each turn every value is assigned to one slot, and a slot keeps its least value; further turns follow
    while a slot is empty (Dahlgaard, Knudsen and Thorup, "Fast similarity sketching", 2017). The estimate of
    `min_wise_resemblance` is unbiased and varies no more than with `min_wise`. But positions are not those of
    independent permutations, which features need (near-duplicate-features, section 2).

    Parameters
    ----------
    values : uint64 array of n values, a set; order and repeats do not count
    count : number of slots, 1 to 2**20
    seed : 0 to 2**64 - 1; only sketches with the same seed, from the same function, can be compared

    Returns
    -------
    uint64 array of `count` values.

    Raises
    ------
    ValueError
        When the set is empty or `count` or `seed` is out of range.
    """
    if not 1 <= count <= 1 << 20:
        raise ValueError(f"count is {count}; a sketch has 1 to {1 << 20} places")
    if not len(values):
        raise ValueError("the set is empty; a min-wise sketch needs at least 1 value")
    slots = np.empty(count, dtype=np.uint64)
    _sketch(np.ascontiguousarray(values).astype(np.uint64, copy=False), *linear_maps(seed, 2 * count), slots)
    return slots
