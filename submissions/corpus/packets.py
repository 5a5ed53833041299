"""Parts of the work on a corpus as bytes, which is how they get to workers and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import Records, SharedValues, Sketches
from submissions.corpus.storing import RawDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.types import Documents

HEADER_BYTES = 8
WORDS, NUMBERS = np.dtype("<u8"), np.dtype("<i8")


def pack_documents(documents: Sequence[RawDocument]) -> bytes:
    """Return names and bytes of documents, as `unpack_documents` reads them."""
    header = json.dumps([[document.name, len(document.data)] for document in documents]).encode()
    size = len(header).to_bytes(HEADER_BYTES, "little")
    return b"".join([size, header, *(document.data for document in documents)])


def unpack_documents(packet: bytes) -> list[RawDocument]:
    """Return the documents that were packed."""
    start = HEADER_BYTES + int.from_bytes(packet[:HEADER_BYTES], "little")
    documents = []
    for name, size in json.loads(packet[HEADER_BYTES:start]):
        documents.append(RawDocument(name, packet[start : start + size]))
        start += size
    return documents


def pack_sketches(sketches: Sketches, duplicates: Documents) -> bytes:
    """Return sketches and the first duplicate of each document, as `unpack_sketches` reads them."""
    return _pack(sketches.offsets, duplicates, sketches.values)


def unpack_sketches(packet: bytes) -> tuple[Sketches, Documents]:
    """Return the sketches and the duplicates that were packed."""
    offsets, duplicates, values = _unpack(packet, 3)
    return Sketches(values.view(np.uint64), offsets), duplicates


def pack_shared(shared: SharedValues) -> bytes:
    """Return the counts of shared values, as `unpack_shared` reads them."""
    return _pack(shared.ignored, shared.pairs.keys, shared.pairs.payloads)


def unpack_shared(packet: bytes) -> SharedValues:
    """Return the counts that were packed."""
    ignored, keys, counts = _unpack(packet, 3)
    return SharedValues(Records(keys.view(np.uint64), counts.view(np.uint64)), ignored)


def _pack(*columns: Documents | np.ndarray[tuple[int], np.dtype[np.uint64]]) -> bytes:
    """Return columns of numbers of 64 bits: their lengths, then one column after the other."""
    lengths = np.array([len(column) for column in columns], dtype=NUMBERS)
    parts = (column.astype(WORDS if column.dtype == np.uint64 else NUMBERS) for column in columns)
    return b"".join([lengths.tobytes(), *(part.tobytes() for part in parts)])


def _unpack(packet: bytes, count: int) -> Iterator[Documents]:
    start = count * NUMBERS.itemsize
    for length in np.frombuffer(packet, NUMBERS, count).tolist():
        yield np.frombuffer(packet, NUMBERS, length, start).astype(np.int64, copy=False)
        start += length * NUMBERS.itemsize
