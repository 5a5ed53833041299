"""Select fingerprints among the hashes of a document (winnowing, sections 3 and 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.hashing import Hashes

    Positions = npt.NDArray[np.int64]


@njit
def _robust(hashes: Hashes, window: int, picked: Positions) -> int:
    count = 0
    best = -1
    for right in range(window - 1, len(hashes)):
        left = right - window + 1
        if best < left:  # the last choice has left the window: rescan, rightmost minimum
            best = right
            for i in range(right - 1, left - 1, -1):
                if hashes[i] < hashes[best]:
                    best = i
        elif hashes[right] < hashes[best]:
            best = right
        else:
            continue
        picked[count] = best
        count += 1
    return count


def robust_winnow(hashes: Hashes, window: int) -> Positions:
    """Positions chosen by robust winnowing (section 5.1, Definition 3).

    In each window the minimal hash; of equal ones the previous window's choice, else the rightmost.
    A document shorter than one window is its own window, so that no shared k-gram run is lost.

    Parameters
    ----------
    hashes : uint64 array of n hashes
    window : hashes in a window, at least 1

    Returns
    -------
    int64 array of sorted positions.

    Raises
    ------
    ValueError
        When `window` is below 1.
    """
    if window < 1:
        raise ValueError(f"window is {window}; a window holds at least 1 hash")
    window = min(window, len(hashes))
    picked = np.empty(len(hashes), dtype=np.int64)
    count = _robust(hashes, window, picked) if window else 0
    return picked[:count]
