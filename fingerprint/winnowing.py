"""Select fingerprints among the hashes of a document (winnowing, sections 3 and 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Hashes, Integers, Positions


# Short windows choose so often that branches on the hashes are mispredicted; there all windows of a block
# are looked at without branches. The work grows with the window, and from here on it does not pay.
SHORT_WINDOW = 5
BLOCK = 512


@njit
def _least_of_eight(hashes: Hashes, at: int) -> np.uint64:
    left = min(hashes[at], hashes[at + 1], hashes[at + 2], hashes[at + 3])
    right = min(hashes[at + 4], hashes[at + 5], hashes[at + 6], hashes[at + 7])
    return min(left, right)


@njit
def _first_below(hashes: Hashes, start: int, end: int, value: np.uint64) -> int:
    """First position in [start, end) of a hash below `value`, else `end`: one branch for eight hashes."""
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


@njit
def _robust(hashes: Hashes, window: int, picked: Positions) -> int:
    best, count = _rightmost_minimum(hashes, 0, window), 1
    picked[0] = best
    right = window
    while True:
        leaves = best + window  # the first window without the last choice ends here
        arrival = _first_below(hashes, right, min(leaves, len(hashes)), hashes[best])
        if arrival == len(hashes):
            return count
        best = arrival if arrival < leaves else _rightmost_minimum(hashes, best + 1, leaves + 1)
        picked[count] = best
        count += 1
        right = arrival + 1


@njit
def _rightmost(hashes: Hashes, window: int, picked: Positions) -> int:
    """Figure 5 of the paper."""
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
        picked[count] = best
        count += 1
    return count


@njit
def _lower(arrivals: Hashes, offset: np.uint64, least: Hashes, first: Hashes, last: Hashes) -> None:
    for i in range(len(least)):
        arrival, value = arrivals[i], least[i]
        last[i] = offset if arrival < value else last[i]
        first[i] = offset if arrival <= value else first[i]
        least[i] = min(arrival, value)


@njit
def _minima(hashes: Hashes, window: int, least: Hashes, first: Hashes, last: Hashes) -> None:
    """Minimum of the windows that start at the first len(least) hashes, and its first and last offset."""
    least[:] = hashes[window - 1 : window - 1 + len(least)]
    first[:] = np.uint64(window - 1)
    last[:] = np.uint64(window - 1)
    for offset in range(window - 2, -1, -1):
        _lower(hashes[offset : offset + len(least)], np.uint64(offset), least, first, last)


@njit
def _differ(first: Hashes, last: Hashes) -> bool:
    bits = np.uint64(0)
    for i in range(len(first)):
        bits |= first[i] ^ last[i]
    return bool(bits)


@njit
def _keep_last(last: Hashes, start: int, picked: Positions, count: int) -> int:
    best = picked[count - 1] if count else -1
    for i in range(len(last)):
        chosen = start + i + np.int64(last[i])
        picked[count] = chosen
        count += chosen != best
        best = chosen
    return count


@njit
def _scratch() -> tuple[Hashes, Hashes, Hashes]:
    return np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)


@njit
def _rightmost_short(hashes: Hashes, window: int, picked: Positions) -> int:
    leasts, firsts, lasts = _scratch()
    windows, count = len(hashes) - window + 1, 0
    for start in range(0, windows, BLOCK):
        size = min(BLOCK, windows - start)
        _minima(hashes[start:], window, leasts[:size], firsts[:size], lasts[:size])
        count = _keep_last(lasts[:size], start, picked, count)
    return count


@njit
def _robust_short(hashes: Hashes, window: int, picked: Positions) -> int:
    leasts, firsts, lasts = _scratch()
    windows, count = len(hashes) - window + 1, 0
    for start in range(0, windows, BLOCK):
        size = min(BLOCK, windows - start)
        least, first, last = leasts[:size], firsts[:size], lasts[:size]
        _minima(hashes[start:], window, least, first, last)
        if not _differ(first, last):  # a window without a tie chooses as Definition 1 has it
            count = _keep_last(last, start, picked, count)
            continue
        for at in range(start, start + size):
            if not count or picked[count - 1] < at or least[at - start] < hashes[picked[count - 1]]:
                picked[count] = at + np.int64(last[at - start])
                count += 1
    return count


@njit
def _safe(good: npt.NDArray[np.bool_], window: int, picked: Positions) -> int:
    count, since = 0, 0  # since: hashes that were not good, up to and with this one
    for i in range(len(good)):
        since = 0 if good[i] else since + 1
        if since == 0 or since >= window:
            picked[count] = i
            count += 1
    return count


def _check_window(window: int, hashes: int | None = None) -> None:
    if window < 1:
        raise ValueError(f"window is {window}; a window holds at least 1 hash")
    if hashes is not None and window > hashes:
        raise ValueError(f"window is {window}; the document has {hashes} hashes, a window holds no more")


def winnow(hashes: Integers, window: int) -> Positions:
    """Positions chosen by winnowing (section 3, Definition 1): in each window the rightmost minimal hash.

    Parameters
    ----------
    hashes : integer array of n hashes, taken as uint64
    window : hashes in a window, 1 to n

    Returns
    -------
    int64 array of sorted positions.

    Raises
    ------
    ValueError
        When `window` is below 1 or longer than the document.
    """
    _check_window(window, len(hashes))
    values = np.ascontiguousarray(hashes, dtype=np.uint64)
    picked = np.empty(len(hashes), dtype=np.int64)
    select = _rightmost_short if window <= SHORT_WINDOW else _rightmost
    return picked[: select(values, window, picked)].copy()


def robust_winnow(hashes: Integers, window: int) -> Positions:
    """Positions chosen by robust winnowing (section 5.1, Definition 3).

    In each window the minimal hash; of equal ones the previous window's choice, else the rightmost.
    A document shorter than one window is its own window, so that it has one fingerprint (an empty one
    none) and still meets its equals.

    Parameters
    ----------
    hashes : integer array of n hashes, taken as uint64
    window : hashes in a window, at least 1

    Returns
    -------
    int64 array of sorted positions.

    Raises
    ------
    ValueError
        When `window` is below 1.
    """
    _check_window(window)
    if not len(hashes):
        return np.empty(0, dtype=np.int64)
    values = np.ascontiguousarray(hashes, dtype=np.uint64)
    window = min(window, len(hashes))
    picked = np.empty(len(hashes), dtype=np.int64)
    select = _robust_short if window <= SHORT_WINDOW else _robust
    return picked[: select(values, window, picked)].copy()


def modulo(hashes: Integers, p: int) -> Positions:
    """Positions of the hashes that are 0 mod `p` (sections 1 and 3.1.1): a density of 1/p, but no guarantee.

    Parameters
    ----------
    hashes : integer array of n hashes, taken as uint64
    p : at least 1

    Returns
    -------
    int64 array of sorted positions.

    Raises
    ------
    ValueError
        When `p` is below 1.
    """
    if p < 1:
        raise ValueError(f"p is {p}; a modulus is at least 1")
    return np.flatnonzero(np.asarray(hashes, dtype=np.uint64) % np.uint64(p) == 0)


def safe_modulo(hashes: Integers, p: int, window: int) -> Positions:
    """Positions chosen by Safe 0 mod p (section 3.1.2).

    A hash is good when it is 0 mod `p`, bad when neither it nor the `window` - 1 hashes before it are good,
    else ugly; the good and the bad are chosen, so that every whole window holds one. A hash with fewer than
    `window` - 1 before it ends no window and is never bad.

    Parameters
    ----------
    hashes : integer array of n hashes, taken as uint64
    p : at least 1; see `best_safe_p`
    window : hashes in a window, 1 to n

    Returns
    -------
    int64 array of sorted positions.

    Raises
    ------
    ValueError
        When `p` or `window` is below 1, or the window longer than the document.
    """
    _check_window(window, len(hashes))
    good = np.zeros(len(hashes), dtype=np.bool_)
    good[modulo(hashes, p)] = True
    picked = np.empty(len(hashes), dtype=np.int64)
    return picked[: _safe(good, window, picked)].copy()


def best_safe_p(window: int) -> int:
    """Modulus that gives Safe 0 mod p its least density (section 3.1.2).

    The paper minimises P + exp(-wP) at P = ln w / w; here the exact P + (1 - P)^w is compared over whole p.

    Returns
    -------
    p, at least 1; at a tie the larger.

    Raises
    ------
    ValueError
        When `window` is below 1.
    """
    _check_window(window)
    return min(range(window, 0, -1), key=lambda p: 1 / p + (1 - 1 / p) ** window)
