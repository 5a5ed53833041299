"""Distinct values of an array.

`np.unique` does the same; its first call imports NumPy's masked arrays, which takes 11 ms.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Flags, Ids, Positions

Number = TypeVar("Number", bound=np.integer)


def distinct_values(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return the distinct values of an integer array [n], ascending, as `np.unique` does.

    NumPy puts the values into a hash table and then sorts that; for hashes, which hardly repeat, sorting them
    at once takes a seventh of the time for 900 and less for more (NumPy 2.4).
    """
    ordered = np.sort(values)
    return ordered[_firsts(ordered)]


def numbered(values: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], Ids]:
    """Return the distinct values of an array [n], ascending, and for each value its number among them [n].

    As `np.unique` with `return_inverse`, in half of its memory.
    """
    order = np.argsort(values)
    ordered = values[order]
    first = _firsts(ordered)
    distinct = ordered[first]
    del ordered
    numbers = np.empty(len(values), dtype=np.int32)
    numbers[order] = np.cumsum(first, dtype=np.int32) - np.int32(1)
    return distinct, numbers


def first_places(values: npt.NDArray[Number]) -> Positions:
    """Return where each distinct value of an array [n] is first, by value, as `np.unique` does."""
    order = np.argsort(values, kind="stable")
    return order[_firsts(values[order])]


def _firsts(ordered: npt.NDArray[Number]) -> Flags:
    """Return for each value of a sorted array [n] whether it differs from the one before it."""
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first
