"""Connected components of documents joined by pairs (syntactic-clustering, "Algorithms", phase 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Documents


@njit
def _root(parents: Documents, document: int) -> int:
    while parents[document] != document:
        parents[document] = parents[parents[document]]
        document = parents[document]
    return document


@kernel
def _join(parents: Documents, left: Documents, right: Documents) -> None:
    for i in range(len(left)):
        a = _root(parents, left[i])
        b = _root(parents, right[i])
        if a < b:  # the smaller number stays the root, so that labels do not depend on the order of the pairs
            parents[b] = a
        else:
            parents[a] = b


@kernel
def _flatten(parents: Documents) -> None:
    for document in range(len(parents)):  # the parent is never larger, so it points to its root already
        parents[document] = parents[parents[document]]


class UnionFind:
    """Disjoint sets of the documents 0 .. count - 1. `join` may be called any number of times.

    Raises
    ------
    ValueError
        When `count` is negative.
    """

    def __init__(self, count: int) -> None:
        if count < 0:
            raise ValueError(f"count is {count}; it must be at least 0")
        self._parents: Documents = np.arange(count, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._parents)

    def grow(self, count: int) -> None:
        """Add documents until there are `count`, each in a set of its own.

        Raises
        ------
        ValueError
            When there are more than `count` documents already.
        """
        if count < len(self):
            raise ValueError(f"count is {count}; {len(self)} documents are there already")
        self._parents = np.concatenate([self._parents, np.arange(len(self), count)])

    def join(self, left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> None:
        """Merge the sets of `left[i]` and `right[i]`, for every i.

        Raises
        ------
        ValueError
            When the arrays differ in length or contain a document outside 0 .. count - 1.
        """
        if len(left) != len(right):
            raise ValueError(f"left has {len(left)} documents and right {len(right)}; a pair has one of each")
        for side in (left, right):
            if len(side) and not 0 <= int(side.min()) <= int(side.max()) < len(self):
                known = f"0 to {len(self) - 1}"
                raise ValueError(f"documents {side.min()} to {side.max()} are joined; {known} are known")
        _join(self._parents, left.astype(np.int64), right.astype(np.int64))

    def labels(self) -> Documents:
        """Return the smallest document of each document's set: int64 [count]."""
        _flatten(self._parents)
        return self._parents.copy()


def components(
    count: int, left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """Label the connected components of `count` documents that are joined by the pairs (left[i], right[i]).

    Parameters
    ----------
    count : number of documents, at least 0
    left, right : integer arrays of equal length, documents numbered from 0

    Returns
    -------
    int64 array of `count` labels: for each document, the smallest document of its component. The labels do
    not depend on the order of the pairs.

    Raises
    ------
    ValueError
        When `count` is negative, the arrays differ in length or a document is out of range.
    """
    sets = UnionFind(count)
    sets.join(left, right)
    return sets.labels()
