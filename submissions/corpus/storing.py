"""Read documents of a sweep and write them: each transaction stores a few, so little is lost when stopped."""

from __future__ import annotations

import json
import time
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection, transaction

from fingerprint import Records, SharedValues, Sketches, pack
from fingerprint.engine import Unreadable
from submissions.corpus.models import CorpusDocument, CorpusText
from submissions.corpus.reading import decode_document, token_kinds
from submissions.corpus.recipe import compute_signatures
from submissions.rows import insert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.kernels.types import Documents
    from submissions.corpus.models import Corpus, CorpusSweep
    from submissions.corpus.reading import DecodedDocument

    TextKey = tuple[str, str]  # SHA-256 and profile

# Documents that were read are written after this many seconds.
WRITE_SECONDS = 2.0


class Text(NamedTuple):
    """The columns of a new text."""

    profile: str
    kind: str
    language: str
    tokens: int
    digest: str
    sketch: bytes
    features: bytes
    simhash: int | None


class RawDocument(NamedTuple):
    """The name and the bytes of a document."""

    name: str
    data: bytes


def store_documents(sweep: CorpusSweep, documents: Sequence[RawDocument]) -> None:
    """Read documents and write them, with the texts that are new; documents of the same names are replaced.

    A document that cannot be read is written with the reason. Several processes may do this at once.
    """
    digests = [sha256(document.data).hexdigest() for document in documents]
    writer = _Writer(sweep, digests)
    for document, digest in zip(documents, digests, strict=True):
        writer.add(document, digest)
        if time.monotonic() - writer.written > WRITE_SECONDS:
            writer.write()
    if not writer.is_empty:
        writer.write()


class _Writer:
    """Collects what was read and is not written yet."""

    def __init__(self, sweep: CorpusSweep, digests: list[str]) -> None:
        self.sweep = sweep
        self.written = time.monotonic()
        self._texts = _stored_texts(sweep.corpus, digests)
        self._new: dict[TextKey, Text] = {}
        self._documents: list[tuple[str, str, TextKey | None, str]] = []

    def add(self, document: RawDocument, digest: str) -> None:
        key, reason = None, ""
        try:
            key = self._text(decode_document(document.name, document.data), digest)
        except Unreadable as error:
            reason = str(error)
        self._documents.append((document.name, digest, key, reason))

    @property
    def is_empty(self) -> bool:
        return not self._documents

    def _text(self, decoded: DecodedDocument, digest: str) -> TextKey:
        """Return the key of a document's text; compute the text when it is new."""
        key = (digest, decoded.profile)
        if key not in self._texts and key not in self._new:
            self._new[key] = _new_text(decoded)
        return key

    def write(self) -> None:
        """Write what was collected, in one transaction."""
        with transaction.atomic():
            self._texts |= _write_texts(self.sweep.corpus, self._new)
            self._write_documents()
        self._new, self._documents, self.written = {}, [], time.monotonic()

    def _write_documents(self) -> None:
        names, digests, keys, reasons = map(list, zip(*self._documents, strict=True))
        self.sweep.documents.filter(name__in=names).delete()
        columns = {
            "sweep_id": [self.sweep.pk] * len(names),
            "name": names,
            "sha256": digests,
            "text_id": [key and self._texts[key] for key in keys],
            "reason": reasons,
        }
        insert(connection, CorpusDocument, columns)


def _write_texts(corpus: Corpus, new: dict[TextKey, Text]) -> dict[TextKey, int]:
    """Write new texts, unless another process was faster; return their primary keys."""
    if not new:
        return {}
    # In one order, so that processes with the same texts do not wait for each other in a circle.
    keys = sorted(new)
    columns = dict(zip(Text._fields, map(list, zip(*(new[key] for key in keys), strict=True)), strict=True))
    columns |= {"corpus_id": [corpus.pk] * len(keys), "sha256": [digest for digest, _ in keys]}
    rows = insert(connection, CorpusText, columns, ["id", "sha256", "profile"])
    written = {(digest, profile): pk for pk, digest, profile in rows}
    missing = [digest for digest, profile in keys if (digest, profile) not in written]
    return written | _stored_texts(corpus, missing)


def _stored_texts(corpus: Corpus, digests: list[str]) -> dict[TextKey, int]:
    if not digests:
        return {}
    rows = corpus.texts.filter(sha256__in=digests).values_list("pk", "sha256", "profile")
    return {(digest, profile): pk for pk, digest, profile in rows}


def _new_text(decoded: DecodedDocument) -> Text:
    signatures = compute_signatures(token_kinds(decoded))
    return Text(
        profile=decoded.profile,
        kind=decoded.kind,
        language=decoded.front_end.name,
        tokens=signatures.tokens,
        digest=signatures.digest,
        sketch=pack(signatures.sketch),
        features=pack(signatures.features),
        simhash=None if signatures.simhash is None else _as_signed(signatures.simhash),
    )


def _as_signed(value: int) -> int:
    """Return the signed integer with the same 64 bits: Postgres has no unsigned integers."""
    return value - (1 << 64) if value >> 63 else value


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
