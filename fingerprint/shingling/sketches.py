"""Sketches of many documents, and duplicates among the documents (syntactic-clustering)."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.params import ENGINE_VERSION
from fingerprint.shingling.shingles import mod_sketch, shingles, super_shingles

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from fingerprint.types import Documents, Words


DOCUMENTS_LIMIT = 2**32


@dataclass(frozen=True, slots=True)
class Sketches:
    """MOD_m sketches of n documents with one m, in two arrays, which may be mapped from files.

    `values` (uint64) has the ascending distinct values of each document, one document after the other.
    `offsets` (int64, n + 1) delimits them: document i has values[offsets[i]:offsets[i + 1]], perhaps none.

    Raises
    ------
    ValueError
        When the arrays are not of that form, or the sketches are of another engine version.
    """

    values: Words
    offsets: Documents
    engine_version: int = ENGINE_VERSION

    def __post_init__(self) -> None:
        if self.engine_version != ENGINE_VERSION:
            raise ValueError(
                f"sketches of engine version {self.engine_version} are given; "
                f"only those of {ENGINE_VERSION} are compared"
            )
        if self.values.dtype != np.uint64 or self.values.ndim != 1:
            raise ValueError(
                f"values are {self.values.ndim}-dimensional {self.values.dtype}; uint64 is needed"
            )
        offsets, end = self.offsets, len(self.values)
        if not len(offsets) or offsets[0] or offsets[-1] != end or np.any(offsets[1:] < offsets[:-1]):
            raise ValueError(f"offsets do not ascend from 0 to {end}, the number of values")
        if len(self) >= DOCUMENTS_LIMIT:
            raise ValueError(f"{len(self)} documents are given; {DOCUMENTS_LIMIT - 1} are the most")
        self._check_order()

    def _check_order(self) -> None:
        falls = np.flatnonzero(self.values[1:] <= self.values[:-1]) + 1
        wrong = falls[~np.isin(falls, self.offsets)]
        if len(wrong):
            document = np.searchsorted(self.offsets, wrong[0], side="right") - 1
            raise ValueError(f"the sketch of document {document} is not in ascending order without repeats")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, document: int) -> Words:
        return self.values[self.offsets[document] : self.offsets[document + 1]]

    @property
    def sizes(self) -> Documents:
        """Number of values of each sketch (int64, n)."""
        return np.diff(self.offsets)

    @classmethod
    def from_sketches(cls, sketches: Iterable[Words], engine_version: int = ENGINE_VERSION) -> Sketches:
        """Build from the sketches of single documents."""
        parts = list(sketches)
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return cls(np.concatenate([np.empty(0, dtype=np.uint64), *parts]), offsets, engine_version)

    @classmethod
    def from_tokens(cls, documents: Iterable[npt.NDArray[np.integer]], w: int = 10, m: int = 25) -> Sketches:
        """Sketch token sequences as in the paper: keep the shingles of `w` tokens that are 0 mod `m`.

        A document of fewer than `w` tokens has an empty sketch; it can only equal its duplicates.

        Raises
        ------
        ValueError
            When `w` or `m` is below 1.
        """
        empty = np.empty(0, dtype=np.uint64)
        if min(w, m) < 1:
            raise ValueError(f"w is {w} and m is {m}; both are at least 1")
        return cls.from_sketches(
            mod_sketch(shingles(tokens, w), m) if len(tokens) >= w else empty for tokens in documents
        )

    def within(self, start: int, end: int) -> Sketches:
        """Return the sketches with only the values from `start` to `end` (exclusive), at most 2**64."""
        # The end may be 2**64, which is no uint64.
        selection = (self.values >= start) & (self.values <= end - 1)
        offsets = np.concatenate([[0], np.cumsum(selection)])[self.offsets].astype(np.int64)
        return Sketches(self.values[selection], offsets, self.engine_version)

    def super_shingled(self, size: int) -> Sketches:
        """Return the meta-sketches: the super-shingles of `size` values; none for a sketch of fewer values.

        Raises
        ------
        ValueError
            When `size` is below 1.
        """
        if size < 1:
            raise ValueError(f"size is {size}; a super-shingle has at least 1 value")
        empty = np.empty(0, dtype=np.uint64)
        sketches = (self[document] for document in range(len(self)))
        return Sketches.from_sketches(
            super_shingles(sketch, size) if len(sketch) >= size else empty for sketch in sketches
        )


class Duplicates:
    """Finds documents that are equal by bytes, by canonical form or by sketch ("Identical documents").

    Keys are hashable values that identify the whole contents, such as digests. Documents are numbered in the
    order in which they are added.
    """

    def __init__(self) -> None:
        self._seen: tuple[dict[Hashable, int], ...] = ({}, {}, {})
        self._count = 0

    def add(
        self,
        sketches: Sketches,
        exact: Sequence[Hashable] | None = None,
        lexical: Sequence[Hashable] | None = None,
    ) -> tuple[Documents, Documents]:
        """Return the documents that equal an earlier one, and the first document that each equals.

        `exact` and `lexical` have a key of the bytes and of the canonical form for each document; None means
        no key.

        Returns
        -------
        Two int64 arrays of equal length. A document that equals earlier ones in several ways is repeated.

        Raises
        ------
        ValueError
            When the number of keys in `exact` or `lexical` is not the number of documents.
        """
        pairs: list[tuple[int, int]] = []
        for name, keys in (("exact", exact), ("lexical", lexical)):
            if keys is not None and len(keys) != len(sketches):
                raise ValueError(f"{name} has {len(keys)} keys for {len(sketches)} documents; each has one")
        for seen, keys in zip(self._seen, (exact, lexical, _digests(sketches)), strict=True):
            for document, key in enumerate(keys or (), start=self._count):
                if key is not None and (first := seen.setdefault(key, document)) != document:
                    pairs.append((document, first))
        self._count += len(sketches)
        columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]


def _digests(sketches: Sketches) -> list[bytes | None]:
    """Return a key of 128 bits for each sketch; None for an empty one, which identifies no document."""
    rows = (sketches[document] for document in range(len(sketches)))
    return [blake2b(sketch.tobytes(), digest_size=16).digest() if len(sketch) else None for sketch in rows]
