"""Winnowing: its parameters, and the selection of fingerprints among the hashes of a document (sections 3 and 5.1).

Positional fingerprints are packed to bytes for the database (sections 2.2 and 5.1). A profile has all that a
stored fingerprint depends on.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.hashing import kgram_hashes
from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Hashes, Integers, Kinds, Positions

# Raise it whenever the same tokens would get other fingerprints: when hashing, mixing or selection changes.
ENGINE_VERSION = 1

# With short windows, selections are so frequent that branches on the hashes are mispredicted. Up to this
# length, minima are computed without branches for a BLOCK of windows; for longer windows that is slower.
SHORT_WINDOW = 5
BLOCK = 512

MAGIC = b"MSK1"
HEADER = struct.Struct("<4sIQ")  # magic, engine version, number of values


@dataclass(frozen=True, slots=True)
class Params:
    """Parameters of winnowing (section 3): tokens in a k-gram, and hashes in a window.

    No match shorter than `k` tokens is detected, and every match of at least `guarantee` tokens is. Raises
    ValueError when `k` or `window` is below 1.
    """

    k: int = 9
    window: int = 4

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}; a k-gram has at least 1 token")
        if self.window < 1:
            raise ValueError(f"window is {self.window}; a window holds at least 1 hash")

    @property
    def guarantee(self) -> int:
        """Length in tokens from which a shared run is always detected: t = w + k - 1."""
        return self.window + self.k - 1


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that a stored fingerprint depends on; only fingerprints of equal profiles are compared.

    `language` is the name of a front-end; `frontend_version` is raised when its tokens change.
    """

    language: str
    frontend_version: int
    params: Params
    engine_version: int = ENGINE_VERSION

    @property
    def key(self) -> str:
        """Unique text form of the profile: `java.1-k9w4-e1`."""
        params = self.params
        return f"{self.language}.{self.frontend_version}-k{params.k}w{params.window}-e{self.engine_version}"


@njit
def _least_of_eight(hashes: Hashes, at: int) -> np.uint64:
    left = min(hashes[at], hashes[at + 1], hashes[at + 2], hashes[at + 3])
    right = min(hashes[at + 4], hashes[at + 5], hashes[at + 6], hashes[at + 7])
    return min(left, right)


@njit
def _first_below(hashes: Hashes, start: int, end: int, value: np.uint64) -> int:
    """Return the first position in [start, end) of a hash below `value`, else `end`; eight at a time."""
    at = start
    while at + 8 <= end and _least_of_eight(hashes, at) >= value:
        at += 8
    while at < end and hashes[at] >= value:
        at += 1
    return at


@njit
def _rightmost_minimum(hashes: Hashes, start: int, end: int) -> int:
    best, value = end - 1, hashes[end - 1]
    for at in range(end - 2, start - 1, -1):
        if hashes[at] < value:
            best, value = at, hashes[at]
    return best


@kernel
def _fill_robust(hashes: Hashes, window: int, selected: Positions) -> int:
    """Robust winnowing, Definition 3; fill `selected` and return how many positions there are."""
    best, count = _rightmost_minimum(hashes, 0, window), 1
    selected[0] = best
    right = window
    while True:
        expiry = best + window  # the first window that no longer contains the last selection ends here
        arrival = _first_below(hashes, right, min(expiry, len(hashes)), hashes[best])
        if arrival == len(hashes):
            return count
        best = arrival if arrival < expiry else _rightmost_minimum(hashes, best + 1, expiry + 1)
        selected[count] = best
        count += 1
        right = arrival + 1


@kernel
def _fill_rightmost(hashes: Hashes, window: int, selected: Positions) -> int:
    """Winnowing as in Figure 5 of the paper; fill `selected` and return how many positions there are."""
    count, best, value = 0, -1, hashes[0]
    for right in range(window - 1, len(hashes)):
        arrival = hashes[right]
        if best <= right - window:
            best, value = right, arrival
            for i in range(right - 1, right - window, -1):
                if hashes[i] < value:
                    best, value = i, hashes[i]
        elif arrival <= value:
            best, value = right, arrival
        else:
            continue
        selected[count] = best
        count += 1
    return count


@njit
def _update_minima(arrivals: Hashes, offset: np.uint64, least: Hashes, first: Hashes, last: Hashes) -> None:
    """Update the minimum of each window, its first and last offset, with the hash one place to the left."""
    for i in range(len(least)):
        arrival, value = arrivals[i], least[i]
        last[i] = offset if arrival < value else last[i]
        first[i] = offset if arrival <= value else first[i]
        least[i] = min(arrival, value)


@njit
def _window_minima(hashes: Hashes, window: int, least: Hashes, first: Hashes, last: Hashes) -> None:
    """Fill minima, with first and last offset, of the windows that start at the first len(least) hashes."""
    for at in range(len(least)):
        least[at] = hashes[window - 1 + at]
        first[at] = last[at] = np.uint64(window - 1)
    for offset in range(window - 2, -1, -1):
        _update_minima(hashes[offset : offset + len(least)], np.uint64(offset), least, first, last)


@njit
def _has_tie(first: Hashes, last: Hashes) -> bool:
    bits = np.uint64(0)
    for i in range(len(first)):
        bits |= first[i] ^ last[i]
    return bool(bits)


@njit
def _append_rightmost(last: Hashes, start: int, selected: Positions, count: int) -> int:
    """Append the rightmost minimum of each window to the `count` selected positions; return the new count."""
    best = selected[count - 1] if count else -1
    for i in range(len(last)):
        chosen = start + i + np.int64(last[i])
        selected[count] = chosen
        count += chosen != best
        best = chosen
    return count


@njit
def _block_buffers() -> tuple[Hashes, Hashes, Hashes]:
    return np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)


@kernel
def _fill_rightmost_short(hashes: Hashes, window: int, selected: Positions) -> int:
    leasts, firsts, lasts = _block_buffers()
    windows, count = len(hashes) - window + 1, 0
    for start in range(0, windows, BLOCK):
        size = min(BLOCK, windows - start)
        _window_minima(hashes[start:], window, leasts[:size], firsts[:size], lasts[:size])
        count = _append_rightmost(lasts[:size], start, selected, count)
    return count


@kernel
def _fill_robust_short(hashes: Hashes, window: int, selected: Positions) -> int:
    leasts, firsts, lasts = _block_buffers()
    windows, count = len(hashes) - window + 1, 0
    for start in range(0, windows, BLOCK):
        size = min(BLOCK, windows - start)
        least, first, last = leasts[:size], firsts[:size], lasts[:size]
        _window_minima(hashes[start:], window, least, first, last)
        if not _has_tie(first, last):  # without ties, Definition 3 selects the same as Definition 1
            count = _append_rightmost(last, start, selected, count)
            continue
        for at in range(start, start + size):
            if not count or selected[count - 1] < at or least[at - start] < hashes[selected[count - 1]]:
                selected[count] = at + np.int64(last[at - start])
                count += 1
    return count


@kernel
def _fill_safe(good: npt.NDArray[np.bool_], window: int, selected: Positions) -> int:
    count, since_good = 0, 0  # since_good: number of hashes after the last good one, up to this one
    for i in range(len(good)):
        since_good = 0 if good[i] else since_good + 1
        if since_good == 0 or since_good >= window:
            selected[count] = i
            count += 1
    return count


def _check_window(window: int, hashes: int | None = None) -> None:
    if window < 1:
        raise ValueError(f"window is {window}; a window holds at least 1 hash")
    if hashes is not None and window > hashes:
        raise ValueError(f"window is {window}; the document has {hashes} hashes, a window cannot have more")


def winnow(hashes: Integers, window: int) -> Positions:
    """Select positions by winnowing (section 3, Definition 1): the rightmost minimal hash of each window.

    hashes : integer array of n hashes, taken as uint64
    window : hashes in a window, 1 to n

    Returns: int64 array of selected positions, ascending. Raises ValueError when `window` is below 1 or
    longer than the document.
    """
    _check_window(window, len(hashes))
    values = np.ascontiguousarray(hashes, dtype=np.uint64)
    selected = np.empty(len(hashes), dtype=np.int64)
    select = _fill_rightmost_short if window <= SHORT_WINDOW else _fill_rightmost
    return selected[: select(values, window, selected)].copy()


def robust_winnow(hashes: Integers, window: int) -> Positions:
    """Select positions by robust winnowing (section 5.1, Definition 3): a minimal hash of each window.

    Among equal minima, select the one that the previous window selected, otherwise the rightmost. A document
    shorter than a window has one fingerprint (none if empty), so that it can match equal documents.

    hashes : integer array of n hashes, taken as uint64
    window : hashes in a window, at least 1

    Returns: int64 array of selected positions, ascending. Raises ValueError when `window` is below 1.
    """
    _check_window(window)
    if not len(hashes):
        return np.empty(0, dtype=np.int64)
    values = np.ascontiguousarray(hashes, dtype=np.uint64)
    window = min(window, len(hashes))
    selected = np.empty(len(hashes), dtype=np.int64)
    select = _fill_robust_short if window <= SHORT_WINDOW else _fill_robust
    return selected[: select(values, window, selected)].copy()


def modulo(hashes: Integers, p: int) -> Positions:
    """Select the hashes that are 0 mod `p` (sections 1 and 3.1.1): density 1/p, but no detection guarantee.

    hashes : integer array of n hashes, taken as uint64
    p : modulus, at least 1

    Returns: int64 array of selected positions, ascending. Raises ValueError when `p` is below 1.
    """
    if p < 1:
        raise ValueError(f"p is {p}; a modulus is at least 1")
    return np.flatnonzero(np.asarray(hashes, dtype=np.uint64) % np.uint64(p) == 0)


def safe_modulo(hashes: Integers, p: int, window: int) -> Positions:
    """Select positions by Safe 0 mod p (section 3.1.2).

    A hash is good if it is 0 mod `p`, bad if neither it nor the `window` - 1 hashes before it are good, and
    ugly otherwise. The good and the bad hashes are selected, so that every whole window has a selected hash.
    A hash with fewer than `window` - 1 hashes before it is not the end of a window and is never bad.

    hashes : integer array of n hashes, taken as uint64
    p : modulus, at least 1; see `best_safe_p`
    window : hashes in a window, 1 to n

    Returns: int64 array of selected positions, ascending. Raises ValueError when `p` or `window` is below 1,
    or the window is longer than the document.
    """
    _check_window(window, len(hashes))
    good = np.zeros(len(hashes), dtype=np.bool_)
    good[modulo(hashes, p)] = True
    selected = np.empty(len(hashes), dtype=np.int64)
    return selected[: _fill_safe(good, window, selected)].copy()


def best_safe_p(window: int) -> int:
    """Return the modulus with which Safe 0 mod p has its lowest density (section 3.1.2).

    The paper minimises P + exp(-wP) at P = ln w / w. Here the exact density P + (1 - P)^w is minimised over
    all integers p, with P = 1 / p.

    Returns: p, at least 1; the largest at a tie. Raises ValueError when `window` is below 1.
    """
    _check_window(window)
    return min(range(window, 0, -1), key=lambda p: 1 / p + (1 - 1 / p) ** window)


class Fingerprints(NamedTuple):
    """Fingerprints of one document as parallel arrays, ordered by position.

    `hashes` uint64: hashes of the selected k-grams; `positions` int64: index of each k-gram's first token.
    """

    hashes: Hashes
    positions: Positions


def fingerprint(kinds: Kinds, params: Params) -> Fingerprints:
    """Return the fingerprints of a document, selected among its k-gram hashes by robust winnowing."""
    hashes = kgram_hashes(kinds, params.k)
    positions = robust_winnow(hashes, params.window)
    return Fingerprints(hashes[positions], positions)


def pack(values: Hashes, engine_version: int = ENGINE_VERSION) -> bytes:
    """Return a sketch or feature vector of n uint64 values as 16 + 8 n bytes: header, little-endian data."""
    return HEADER.pack(MAGIC, engine_version, len(values)) + values.astype("<u8").tobytes()


def unpack(data: bytes) -> Hashes:
    """Return the uint64 array that `pack` packed.

    Raises ValueError when the data is not a packed sketch, is of another engine version, or has the wrong length.
    """
    if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"not a packed sketch: {len(data)} bytes that do not start with {MAGIC!r}")
    _, version, count = HEADER.unpack_from(data)
    if version != ENGINE_VERSION:
        raise ValueError(f"sketch of engine version {version}; this engine reads version {ENGINE_VERSION}")
    if len(data) != HEADER.size + 8 * count:
        size = len(data) - HEADER.size
        raise ValueError(f"sketch of {count} values has {size} bytes of data; it should have {8 * count}")
    return np.frombuffer(data, dtype="<u8", offset=HEADER.size).astype(np.uint64)
