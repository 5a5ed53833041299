"""Documents collected again at different times (syntactic-clustering, "Lost and found")."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.sketches.clustering import (
    BUDGET,
    COMMON,
    THRESHOLD,
    Clustering,
    UnionFind,
    check_limits,
    join_similar,
    pair_runs,
    resemblances,
    value_runs,
)
from fingerprint.sketches.external_sort import Records, Runs
from fingerprint.sketches.shingling import Duplicates, Sketches

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy.typing as npt

    from fingerprint.kernels.types import Documents


class NearCopy(NamedTuple):
    """The newest near-copy of a document; `resemblance` is that of the sketches to its last version."""

    name: str
    sweep: int
    resemblance: float


class Drift(NamedTuple):
    """Resemblance of two consecutive versions of a document, and the sweeps that have them."""

    earlier: int
    later: int
    resemblance: float


class Sweeps:
    """A clustering to which sweeps are added one at a time, without forming earlier pairs again.

    Documents are numbered in the order in which they are added, over all sweeps. The clusters equal those of
    one `cluster` over all documents, as long as no value becomes common later (earlier pairs then stay
    joined). Sketches and 16 bytes a value stay in memory.

    threshold, common, budget : as for `cluster`; `budget` applies to each sweep while it is added

    Raises ValueError as `cluster`.
    """

    def __init__(self, *, threshold: float = THRESHOLD, common: int = COMMON, budget: int = BUDGET) -> None:
        check_limits(threshold, common)
        self._threshold, self._common, self._budget = threshold, common, budget
        self._sets, self._copies, self._duplicates = UnionFind(0), UnionFind(0), Duplicates()
        self._sketches: list[Sketches] = []
        self._starts = [0]
        self._names: list[str] = []
        self._versions: dict[str, list[int]] = {}
        self._runs: list[Records] = []
        self._sizes: Documents = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._sketches)

    def add(
        self,
        names: Sequence[str],
        sketches: Sketches,
        *,
        exact: Sequence[Hashable] | None = None,
        lexical: Sequence[Hashable] | None = None,
    ) -> Clustering:
        """Add the documents of a new sweep; return the clusters of all sweeps.

        Raises ValueError when the number of names or keys is not the number of documents, or a name occurs
        twice.
        """
        if len(names) != len(sketches) or len(set(names)) != len(names):
            distinct = len(set(names))
            raise ValueError(
                f"{distinct} distinct names are given for {len(sketches)} documents; each has its own"
            )
        left, right = self._duplicates.add(sketches, exact, lexical)
        start, end = self._starts[-1], self._starts[-1] + len(sketches)
        for sets in (self._sets, self._copies):
            sets.grow(end)
            sets.join(left, right)
        self._store(names, sketches, start)
        self._join_similar(sketches, start)
        return self.clustering

    @property
    def clustering(self) -> Clustering:
        """Clusters of the documents of all sweeps."""
        return Clustering(self._sets.labels(), self._copies.labels())

    def _store(self, names: Sequence[str], sketches: Sketches, start: int) -> None:
        for document, name in enumerate(names, start=start):
            self._versions.setdefault(name, []).append(document)
        self._names.extend(names)
        self._sketches.append(sketches)
        self._starts.append(start + len(sketches))
        self._sizes = np.concatenate([self._sizes, sketches.sizes])

    def _join_similar(self, sketches: Sketches, start: int) -> None:
        """Join the documents from `start` on with similar ones, old and new."""
        distinct = self._copies.labels()[start:] == np.arange(start, start + len(sketches))
        with Runs(self._budget // 2) as values, Runs(self._budget // 2) as pairs:
            value_runs(sketches, distinct, values, start)
            new = Records.merge([Records(*(np.empty(0, dtype=np.uint64),) * 2), *values.merged()])
            for run in self._runs:
                values.add(_restricted_to_keys(run, new))
            pair_runs(values.merged(), self._sizes, pairs, self._common, start)
            join_similar(pairs.merged(), self._sizes, self._threshold, self._sets)
        self._runs.append(new)

    def locate(self, name: str) -> NearCopy:
        """Return the newest near-copy of a document ("Lost and found").

        It is from the last sweep that has the document's cluster. In that sweep the document of the same name
        is preferred, then the document that resembles the last version most. Raises ValueError when no sweep
        has a document of that name.
        """
        last = self._documents_named(name)[-1]
        labels = self._sets.labels()
        members = np.flatnonzero(labels == labels[last])
        sweep = self._sweep_of(int(members[-1]))
        newest = [int(member) for member in members if member >= self._starts[sweep]]
        resemblance = {member: self._resemblance(last, member) for member in newest}
        best = max(newest, key=lambda member: (self._names[member] == name, resemblance[member], -member))
        return NearCopy(self._names[best], sweep, resemblance[best])

    def drift(self, name: str) -> list[Drift]:
        """Compare each version of a document with the version before ("Characterizing how pages change ...").

        Raises ValueError when no sweep has a document of that name.
        """
        versions = self._documents_named(name)
        return [
            Drift(self._sweep_of(earlier), self._sweep_of(later), self._resemblance(earlier, later))
            for earlier, later in pairwise(versions)
        ]

    def _documents_named(self, name: str) -> list[int]:
        if name not in self._versions:
            raise ValueError(f"{name!r} is in none of the {len(self)} sweeps")
        return self._versions[name]

    def _sweep_of(self, document: int) -> int:
        return int(np.searchsorted(self._starts, document, side="right")) - 1

    def _resemblance(self, a: int, b: int) -> float:
        copies = self._copies.labels()
        if copies[a] == copies[b]:
            return 1.0
        both = Sketches.from_sketches([self._sketch(a), self._sketch(b)])
        return float(resemblances(both, np.array([0]), np.array([1]))[0])

    def _sketch(self, document: int) -> npt.NDArray[np.uint64]:
        sweep = self._sweep_of(document)
        return self._sketches[sweep][document - self._starts[sweep]]


def _restricted_to_keys(run: Records, other: Records) -> Records:
    """Return the records of `run` whose keys occur in `other`."""
    shared = np.isin(run.keys, other.keys)
    return Records(run.keys[shared], run.payloads[shared])
