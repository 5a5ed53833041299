"""Pack, unpack and load the positional fingerprints of documents.

They are a column of the document, and what other documents have in common with it is found in `postings`;
docs/work/decisions/03-fingerprints.md says why.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.models import Document

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

# The number of fingerprints, and the bytes of a difference of two positions.
HEADER = struct.Struct("<IB")
WIDTHS = (1, 2, 4)


class Fingerprints(NamedTuple):
    """Hashes uint64 [n] of the selected k-grams of a document, and the tokens at which they start, int64 [n].

    They are in the order of their positions.
    """

    hashes: Hashes
    positions: npt.NDArray[np.int64]


def pack_fingerprints(hashes: Hashes, positions: npt.NDArray[np.integer]) -> bytes:
    """Return the fingerprints of a document as bytes: 8 for a hash, mostly 1 for its position.

    Parameters
    ----------
    hashes : uint64 [n]
    positions : [n], in any order, from 0 to 2**31 - 1

    Raises
    ------
    ValueError
        When the arrays differ in length or a position does not fit.
    """
    if len(hashes) != len(positions):
        raise ValueError(f"{len(hashes)} hashes with {len(positions)} positions")
    most = int(positions.max(initial=0))
    if most > np.iinfo(np.int32).max or int(positions.min(initial=0)) < 0:
        raise ValueError(f"positions up to {most}; they are from 0 to {np.iinfo(np.int32).max}")
    order = np.argsort(positions, kind="stable")
    gaps = np.diff(positions[order].astype(np.int64), prepend=0)
    widest = int(gaps.max(initial=0))
    width = next(width for width in WIDTHS if widest < 256**width)
    columns = hashes[order].astype("<u8"), gaps.astype(f"<u{width}")
    return HEADER.pack(len(hashes), width) + b"".join(column.tobytes() for column in columns)


def unpack_fingerprints(packed: bytes) -> Fingerprints:
    """Return the fingerprints that `pack_fingerprints` packed; none for no bytes."""
    if not packed:
        return Fingerprints(np.empty(0, np.uint64), np.empty(0, np.int64))
    count, width = HEADER.unpack_from(packed)
    hashes = np.frombuffer(packed, "<u8", count, HEADER.size).astype(np.uint64)
    gaps = np.frombuffer(packed, f"<u{width}", count, HEADER.size + 8 * count)
    return Fingerprints(hashes, np.cumsum(gaps, dtype=np.int64))


def unpack_hashes(packed: bytes) -> Hashes:
    """Return the hashes of such fingerprints alone."""
    count = HEADER.unpack_from(packed)[0] if packed else 0
    hashes: Hashes = np.frombuffer(packed, "<u8", count, HEADER.size if packed else 0).astype(np.uint64)
    return hashes


def load(document_ids: Collection[int]) -> dict[int, Fingerprints]:
    """Return the fingerprints of documents by primary key; unknown ones are left out."""
    rows = Document.objects.filter(pk__in=document_ids).values_list("pk", "fingerprints")
    return {pk: unpack_fingerprints(bytes(packed)) for pk, packed in rows.iterator(chunk_size=500)}
