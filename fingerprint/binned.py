"""Min-wise sketches in about one pass over the set, for estimates where `features` are not wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.permutation import linear_maps, permute

if TYPE_CHECKING:
    from fingerprint.hashing import Hashes

MIX = np.uint64(0xFF51AFD7ED558CCD)
MIX_SHIFT = np.uint64(29)
HALF = np.uint64(32)


@njit
def _fill(values: Hashes, factors: Hashes, terms: Hashes, slots: Hashes) -> None:
    count = len(slots)
    filled = np.full(count, 2 * count, dtype=np.int64)  # the turn in which a slot got its first value
    slots[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
    empty = count
    for turn in range(2 * count):
        for i in range(len(values)):
            word = values[i] * factors[turn] + terms[turn]
            word = (word ^ (word >> MIX_SHIFT)) * MIX
            slot = np.int64(((word >> HALF) * np.uint64(count)) >> HALF)
            slot = slot if turn < count else np.int64(turn - count)
            rank = (word << HALF) | (word >> HALF)  # the half that chose no slot goes first
            if filled[slot] >= turn and rank <= slots[slot]:
                empty -= filled[slot] > turn
                filled[slot] = turn
                slots[slot] = rank
        if empty == 0:
            return


def binned_min_wise(values: Hashes, count: int, seed: int = 0) -> Hashes:
    """Sketch whose places agree with probability r(A, B), like `min_wise`, in about one pass.

    Each value goes to one slot a turn and the least of a slot stays; turns are added while a slot is
    empty (Dahlgaard, Knudsen and Thorup, "Fast similarity sketching", 2017). The estimate of
    `min_wise_resemblance` is unbiased and varies no more than with `min_wise`, but places are not those of
    independent permutations, which features need (near-duplicate-features, section 2).

    Parameters
    ----------
    values : uint64 array of n values, a set; order and repeats do not count
    count : number of slots, 1 to 2**20
    seed : 0 to 2**64 - 1; only sketches of one seed and kind are compared

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
    _fill(permute(values, seed), *linear_maps(seed, 2 * count), slots)
    return slots
