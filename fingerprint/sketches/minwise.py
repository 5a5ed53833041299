"""Broder, "Identifying and filtering near-duplicate documents" (2000): min-wise sketches, features, filters.

A binned sketch has the same estimate in about one pass (Dahlgaard, Knudsen and Thorup, 2017).
"""

from __future__ import annotations

from itertools import combinations
from math import ceil, comb, log
from typing import NamedTuple, overload

import numpy as np

from fingerprint.hashing import linear_maps, permute
from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Floats, Hashes, HashRows, Positions

BASE = np.uint64(0xD6E8FEB86659FD93)  # odd, and not the base of the k-gram hashes (section 3)
SHIFT = np.uint64(32)
NODES = 96  # nodes of the quadrature on each side of the target
USUAL_ERROR = 0.4  # default total error, as a part of 1 - target
MAX_TARGET = 0.999  # above it, a feature would need thousands of minima

FIRST_MIX, SECOND_MIX = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
FIRST_SHIFT, SECOND_SHIFT = np.uint64(29), np.uint64(32)
HALF = np.uint64(32)


class Filter(NamedTuple):
    """`k` features of `s` minima each; pairs that share at least `r` are accepted as near-duplicates."""

    k: int
    s: int
    r: int


@kernel
def _minima(values: Hashes, factors: Hashes, terms: Hashes, minima: Hashes) -> None:
    for j in range(len(minima)):
        factor, term = factors[j], terms[j]
        least = values[0] * factor + term
        for i in range(1, len(values)):
            least = min(least, values[i] * factor + term)
        minima[j] = least


@kernel
def _hash_rows_into(rows: HashRows, hashes: Hashes) -> None:
    for i in range(len(rows)):
        value = np.uint64(i + 1) * BASE  # hash the number of the row first
        for j in range(rows.shape[1]):
            value = (value ^ rows[i, j]) * BASE
            value ^= value >> SHIFT
        hashes[i] = value * BASE


def _hash_rows(rows: HashRows) -> Hashes:
    hashes = np.empty(len(rows), dtype=np.uint64)
    _hash_rows_into(rows, hashes)
    return hashes


def _check_at_least_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} is {number}; it is at least 1")


def min_wise(values: Hashes, count: int, seed: int = 0) -> Hashes:
    """Return the smallest image of a set under each of `count` permutations (section 2, equation 1).

    All permutations share one mixing of the values, after which each has its own linear map modulo 2**64: for
    well-mixed values random linear maps suffice in practice (section 2).

    values : uint64 array of n values, a set; order and repeats do not count
    count : number of permutations, at least 1
    seed : 0 to 2**64 - 1; only sketches with the same seed can be compared

    Returns: uint64 array of `count` minima; those of two sets agree in a position with probability r(A, B).
    Raises ValueError when the set is empty, `count` is below 1 or `seed` is out of range.
    """
    _check_at_least_one(count=count)
    if not len(values):
        raise ValueError("the set is empty; a min-wise sketch needs at least 1 value")
    minima = np.empty(count, dtype=np.uint64)
    _minima(permute(values, seed), *linear_maps(seed, count), minima)
    return minima


def min_wise_resemblance(a: Hashes, b: Hashes) -> float:
    """Return an unbiased estimate of r(A, B): the part of positions in which two sketches agree (section 2).

    Raises ValueError when the sketches are empty or differ in length.
    """
    return shared_features(a, b) / len(a)


def features(values: Hashes, k: int = 6, s: int = 14, seed: int = 0) -> Hashes:
    """Return the features of a set: k groups of s minima, each hashed with its number to 64 bits (section 3).

    values : uint64 array of n values, a set
    k, s : features, and minima in each; at least 1
    seed : 0 to 2**64 - 1; only features with the same seed, k and s can be compared

    Returns: uint64 array of k features; those of two sets agree in a position with probability r(A, B)**s.
    Raises ValueError when the set is empty, `k` or `s` is below 1 or `seed` is out of range.
    """
    _check_at_least_one(k=k, s=s)
    return _hash_rows(min_wise(values, k * s, seed).reshape(k, s))


def shared_features(a: Hashes, b: Hashes) -> int:
    """Return the number of positions in which two feature vectors of one length agree (section 3).

    Raises ValueError when the vectors are empty or differ in length.
    """
    if len(a) != len(b) or not len(a):
        raise ValueError(f"vectors of {len(a)} and {len(b)} places; only equal lengths of 1 or more compare")
    return int(np.count_nonzero(a == b))


def super_features(features: Hashes, r: int) -> Hashes:
    """Return the hash of every `r` of k features: pairs that share one share r features (section 3).

    Returns: uint64 array of k-choose-r super-features, in the order of `itertools.combinations`. Raises
    ValueError when `r` is not in 1 .. k.
    """
    if not 1 <= r <= len(features):
        raise ValueError(f"r is {r}; a super-feature joins 1 to {len(features)} of these features")
    return _hash_rows(features[np.array(list(combinations(range(len(features)), r)))])


def _tails(chance: Floats, k: int) -> Floats:
    """Return P(at least r of k) for r = k, ..., 1, 0 (first axis); each feature is shared with `chance`."""
    terms = [comb(k, i) * chance**i * (1 - chance) ** (k - i) for i in range(k, -1, -1)]
    return np.cumsum(terms, axis=0)


@overload
def acceptance(rho: float, k: int, s: int, r: int) -> float: ...
@overload
def acceptance(rho: Floats, k: int, s: int, r: int) -> Floats: ...
def acceptance(rho: float | Floats, k: int, s: int, r: int) -> float | Floats:
    """Return P(k, s, r): the chance that sets of resemblance `rho` share at least `r` features (section 3).

    rho : resemblance in [0, 1], a number or an array of any shape
    k, s, r : features, minima in each, features to share; `r` at most `k`

    Returns: probability in [0, 1], of the shape of `rho`. Raises ValueError when `rho` is NaN or outside [0,
    1], `k` or `s` is below 1 or `r` is not in 1 .. k.
    """
    _check_at_least_one(k=k, s=s)
    if not 1 <= r <= k:
        raise ValueError(f"r is {r}; of {k} features 1 to {k} can be shared")
    resemblances = np.asarray(rho, dtype=np.float64)
    if not ((resemblances >= 0) & (resemblances <= 1)).all():
        raise ValueError(f"rho is {rho}; a resemblance is in [0, 1]")
    accepted: Floats = np.minimum(_tails(resemblances**s, k)[k - r], 1.0)
    return accepted if accepted.ndim else float(accepted)


def _errors(target: float, k: int, sizes: Positions) -> Floats:
    """Return the total errors (section 4) of filters (k, s, r): rows r = k, ..., 1, columns s = `sizes`."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    below = _tails((target * (nodes + 1) / 2) ** sizes[:, None], k)[:k]
    above = _tails((target + (1 - target) * (nodes + 1) / 2) ** sizes[:, None], k)[:k]
    errors: Floats = target / 2 * (below @ weights) + (1 - target) / 2 * ((1 - above) @ weights)
    return errors


def choose(target: float, error: float | None = None, most_features: int = 16) -> Filter:
    """Return the cheapest filter for a target resemblance with a total error of at most `error` (section 4).

    The total error is the part of pairs that a filter misjudges if resemblance is uniform on [0, 1]: the
    integral of P below the target and of 1 - P above it. The cheapest filter has the fewest features, then
    the fewest permutations, then the least error.

    target : resemblance from which pairs should be accepted, above 0 and at most 0.999
    error : allowed total error, in (0, 1); by default 0.4 (1 - target), where the paper's filter has 0.375
    most_features : largest k to consider, at least 1

    Raises ValueError when an argument is out of range, or the error of every filter of up to `most_features`
    features is larger.
    """
    _check_at_least_one(most_features=most_features)
    allowed = USUAL_ERROR * (1 - target) if error is None else error
    if not 0 < target <= MAX_TARGET:
        raise ValueError(f"target is {target}; it is above 0 and at most {MAX_TARGET}")
    if not 0 < allowed < 1:
        raise ValueError(f"error is {allowed}; it lies between 0 and 1")
    least = 1.0
    for k in range(1, most_features + 1):
        # Up to twice the minima with which r = 1 accepts half of the pairs at the target; with more, filters
        # only miss more pairs.
        sizes = np.arange(1, ceil(2 * log(k / log(2)) / -log(target)) + 2)
        errors = _errors(target, k, sizes)
        filters = [(int(sizes[s]), errors[i, s], k - int(i)) for i, s in np.argwhere(errors <= allowed)]
        if filters:
            s, _, r = min(filters)
            return Filter(k, s, r)
        least = min(least, float(errors.min()))
    limit = f"up to {most_features} features and target {target}"
    raise ValueError(f"error is {allowed}; with {limit} it is at least {least:.4f}")


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

    values : uint64 array of n values, a set; order and repeats do not count
    count : number of slots, 1 to 2**20
    seed : 0 to 2**64 - 1; only sketches with the same seed, from the same function, can be compared

    Returns: uint64 array of `count` values. Raises ValueError when the set is empty or `count` or `seed` is
    out of range.
    """
    if not 1 <= count <= 1 << 20:
        raise ValueError(f"count is {count}; a sketch has 1 to {1 << 20} places")
    if not len(values):
        raise ValueError("the set is empty; a min-wise sketch needs at least 1 value")
    slots = np.empty(count, dtype=np.uint64)
    _sketch(np.ascontiguousarray(values).astype(np.uint64, copy=False), *linear_maps(seed, 2 * count), slots)
    return slots
