"""Read documents of a sweep and write them: each transaction stores a few, so little is lost when stopped."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from fingerprint import pack
from fingerprint.engine import Unreadable
from submissions.corpus.models import CorpusDocument, CorpusText
from submissions.corpus.reading import decode_document, token_kinds
from submissions.corpus.recipe import compute_signatures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.corpus.models import Corpus, CorpusSweep
    from submissions.corpus.reading import DecodedDocument

    TextKey = tuple[str, str]  # SHA-256 and profile

# Documents that were read are written after this many seconds.
WRITE_SECONDS = 2.0


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
    writer.write()


class _Writer:
    """Collects what was read and is not written yet."""

    def __init__(self, sweep: CorpusSweep, digests: list[str]) -> None:
        self.sweep = sweep
        self.written = time.monotonic()
        self._texts = _stored_texts(sweep.corpus, digests)
        self._new: dict[TextKey, CorpusText] = {}
        self._documents: list[tuple[CorpusDocument, TextKey | None]] = []

    def add(self, document: RawDocument, digest: str) -> None:
        row = CorpusDocument(sweep=self.sweep, name=document.name, sha256=digest)
        key = None
        try:
            key = self._text(decode_document(document.name, document.data), digest)
        except Unreadable as error:
            row.reason = str(error)
        self._documents.append((row, key))

    def _text(self, decoded: DecodedDocument, digest: str) -> TextKey:
        """Return the key of a document's text; compute the text when it is new."""
        key = (digest, decoded.profile)
        if key not in self._texts and key not in self._new:
            self._new[key] = _new_text(self.sweep.corpus, decoded, digest)
        return key

    def write(self) -> None:
        with transaction.atomic():
            self._texts |= _write_texts(self.sweep.corpus, self._new)
            for row, key in self._documents:
                row.text_id = self._texts[key] if key else None
            self.sweep.documents.filter(name__in=[row.name for row, _ in self._documents]).delete()
            CorpusDocument.objects.bulk_create(row for row, _ in self._documents)
        self._new, self._documents, self.written = {}, [], time.monotonic()


def _write_texts(corpus: Corpus, new: dict[TextKey, CorpusText]) -> dict[TextKey, int]:
    """Write new texts, unless another process was faster; return their primary keys."""
    if not new:
        return {}
    # In one order, so that processes with the same texts do not wait for each other in a circle.
    CorpusText.objects.bulk_create((new[key] for key in sorted(new)), ignore_conflicts=True)
    return _stored_texts(corpus, [digest for digest, _ in new])


def _stored_texts(corpus: Corpus, digests: list[str]) -> dict[TextKey, int]:
    rows = corpus.texts.filter(sha256__in=digests).values_list("pk", "sha256", "profile")
    return {(digest, profile): pk for pk, digest, profile in rows}


def _new_text(corpus: Corpus, decoded: DecodedDocument, digest: str) -> CorpusText:
    signatures = compute_signatures(token_kinds(decoded))
    return CorpusText(
        corpus=corpus,
        sha256=digest,
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
