"""Add documents to a corpus in sweeps. Each transaction stores a few, so a stopped sweep can be resumed."""

from __future__ import annotations

import time
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from fingerprint import pack
from fingerprint.engine import Unreadable
from submissions.corpus.corpora import CorpusError, check_current
from submissions.corpus.models import Corpus, CorpusDocument, CorpusSweep, CorpusText
from submissions.corpus.reading import SkippedDocument, decode_document, read_entries, token_kinds
from submissions.corpus.recipe import RECIPE, compute_signatures
from submissions.work_locks import Work, work_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from submissions.archives.unpack import UnpackedEntry
    from submissions.corpus.reading import DecodedDocument

# Documents are written after this many, or after this many seconds.
BATCH = 64
BATCH_SECONDS = 2.0


class IdenticalDocument(NamedTuple):
    """A document with the same bytes as `same_as`, which was stored before."""

    name: str
    same_as: str


class SweepResult(NamedTuple):
    """The result of a finished sweep. JSON output uses the field names as keys.

    `sweep`: its number; `resumed`: it had been stopped before; `new` and `unchanged`: number of documents
    with a new text, and with the same text as in an earlier sweep.
    """

    sweep: int
    resumed: bool
    new: int
    unchanged: int
    identical: list[IdenticalDocument]
    skipped: list[SkippedDocument]


def add_documents(name: str, path: Path, on_entry: Callable[[], None] = lambda: None) -> SweepResult:
    """Read a folder, archive or file into a corpus as a new sweep, or resume its stopped sweep.

    `on_entry` is called after each entry. When reading is interrupted, the documents written so far stay.

    Raises
    ------
    BadArchive
        When `path` cannot be read.
    CorpusError
        When the corpus was created by another version, or another process is adding to it.
    """
    corpus, _ = Corpus.objects.get_or_create(name=name, defaults={"recipe": RECIPE.key})
    with _exclusive_lock(corpus):
        check_current(corpus)
        sweep, resumed = _resume_or_create_sweep(corpus, str(path.resolve()))
        writer = _SweepWriter(corpus, sweep)
        refused = []
        for entry in read_entries(path):
            if entry.reason:
                refused.append(SkippedDocument(entry.name, entry.reason))
            else:
                writer.add(entry)
            on_entry()
        writer.finish()
        return _sweep_result(sweep, refused, resumed=resumed)


@contextmanager
def _exclusive_lock(corpus: Corpus) -> Iterator[None]:
    with work_lock(Work.CORPUS, corpus.pk) as mine:
        if not mine:
            raise CorpusError(f"another process is adding to corpus {corpus.name!r}; wait until it has ended")
        yield


def _resume_or_create_sweep(corpus: Corpus, source: str) -> tuple[CorpusSweep, bool]:
    """Return the unfinished sweep of this source, or a new sweep, and whether it is resumed."""
    unfinished = corpus.sweeps.filter(source=source, finished=None).last()
    if unfinished:
        return unfinished, True
    number = (corpus.sweeps.aggregate(Max("number"))["number__max"] or 0) + 1
    return CorpusSweep.objects.create(corpus=corpus, number=number, source=source), False


class _SweepWriter:
    """Writes the documents of one sweep in batches; skips documents and texts that are stored already."""

    def __init__(self, corpus: Corpus, sweep: CorpusSweep) -> None:
        self.corpus, self.sweep = corpus, sweep
        # SHA-256 by document name, as stored before the sweep was stopped.
        self._hashes_before = dict(sweep.documents.values_list("name", "sha256"))
        self._names: set[str] = set()
        # Primary keys of stored texts by (SHA-256, profile), the key of a text.
        self._text_ids = {
            (digest, profile): pk
            for pk, digest, profile in corpus.texts.values_list("pk", "sha256", "profile")
        }
        self._new_texts: dict[tuple[str, str], CorpusText] = {}
        self._new_documents: list[tuple[CorpusDocument, tuple[str, str] | None]] = []
        self._flushed = time.monotonic()

    def add(self, entry: UnpackedEntry) -> None:
        data = entry.data or b""
        digest = sha256(data).hexdigest()
        self._names.add(entry.name)
        if self._hashes_before.get(entry.name) == digest:
            return
        document = CorpusDocument(sweep=self.sweep, name=entry.name, sha256=digest)
        try:
            decoded = decode_document(entry.name, data)
            self._new_documents.append((document, self._text_key(decoded, digest)))
        except Unreadable as error:
            document.reason = str(error)
            self._new_documents.append((document, None))
        if len(self._new_documents) >= BATCH or time.monotonic() - self._flushed > BATCH_SECONDS:
            self._flush()

    def _text_key(self, decoded: DecodedDocument, digest: str) -> tuple[str, str]:
        """Return the key of a document's text; compute the text when it is new."""
        key = (digest, decoded.profile)
        if key not in self._text_ids and key not in self._new_texts:
            self._new_texts[key] = _new_text(self.corpus, decoded, digest)
        return key

    def _flush(self) -> None:
        with transaction.atomic():
            texts = CorpusText.objects.bulk_create(self._new_texts.values())
            self._text_ids.update(zip(self._new_texts, (text.pk for text in texts), strict=True))
            for document, key in self._new_documents:
                document.text_id = self._text_ids[key] if key else None
            changed = [
                document.name for document, _ in self._new_documents if document.name in self._hashes_before
            ]
            self.sweep.documents.filter(name__in=changed).delete()
            CorpusDocument.objects.bulk_create(document for document, _ in self._new_documents)
        self._new_texts, self._new_documents, self._flushed = {}, [], time.monotonic()

    def finish(self) -> None:
        """Write the remaining documents, and delete those that vanished while the sweep was stopped."""
        self._flush()
        vanished = [name for name in self._hashes_before if name not in self._names]
        self.sweep.documents.filter(name__in=vanished).delete()
        self.sweep.finished = timezone.now()
        self.sweep.save(update_fields=["finished"])


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


# For each document of a sweep: its name, the name of the first document that had its text, whether that is
# the document itself, and whether an earlier sweep had the same text under the same name.
ORIGINS = """
    SELECT document.name, origin.name, origin.id = document.id,
        EXISTS (
            SELECT FROM submissions_corpusdocument earlier
            WHERE earlier.text_id = document.text_id AND earlier.name = document.name
                AND earlier.sweep_id < document.sweep_id
        )
    FROM submissions_corpusdocument document
    CROSS JOIN LATERAL (
        SELECT id, name FROM submissions_corpusdocument
        WHERE text_id = document.text_id ORDER BY sweep_id, id LIMIT 1
    ) origin
    WHERE document.sweep_id = %s ORDER BY document.id
"""


def _sweep_result(sweep: CorpusSweep, refused: list[SkippedDocument], *, resumed: bool) -> SweepResult:
    with connection.cursor() as cursor:
        cursor.execute(ORIGINS, [sweep.pk])
        rows = cursor.fetchall()
    unreadable = sweep.documents.filter(text=None).values_list("name", "reason")
    return SweepResult(
        sweep=sweep.number,
        resumed=resumed,
        new=sum(is_first for _, _, is_first, _ in rows),
        unchanged=sum(in_earlier_sweep for *_, in_earlier_sweep in rows),
        identical=[
            IdenticalDocument(name, origin)
            for name, origin, is_first, in_earlier_sweep in rows
            if not is_first and not in_earlier_sweep
        ],
        skipped=sorted([*refused, *(SkippedDocument(*row) for row in unreadable)]),
    )
