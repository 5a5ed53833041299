"""Documents into a corpus: a few a transaction, so that a sweep can be stopped and gone on with."""

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
from submissions.corpus.reading import Skipped, entries, kinds_of, open_document
from submissions.corpus.recipe import RECIPE, prints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from submissions.archives.unpack import Unpacked
    from submissions.corpus.reading import Opened

BATCH = 64
BATCH_SECONDS = 2.0
LOCKS = 0x6D6F7373  # the space of our advisory locks


class Identical(NamedTuple):
    """A document with the bytes of one that is stored already."""

    name: str
    same_as: str


class Added(NamedTuple):
    """A finished sweep: how many documents are `new`, and which `unchanged` since an earlier sweep."""

    sweep: int
    resumed: bool
    new: int
    unchanged: int
    identical: list[Identical]
    skipped: list[Skipped]


def add(name: str, path: Path, done: Callable[[], None] = lambda: None) -> Added:
    """Read a folder, archive or file into a corpus as a new sweep; one that was stopped goes on.

    `done` is called after each entry. Whatever stops it, what was read before is kept.

    Raises
    ------
    BadArchive
        When `path` cannot be read.
    CorpusError
        When the corpus was made by another version, or another process adds to it.
    """
    corpus, _ = Corpus.objects.get_or_create(name=name, defaults={"recipe": RECIPE.key})
    with _alone(corpus):
        check_current(corpus)
        sweep, resumed = _sweep(corpus, str(path.resolve()))
        adder = _Adder(corpus, sweep)
        refused = []
        for entry in entries(path):
            if entry.reason:
                refused.append(Skipped(entry.name, entry.reason))
            else:
                adder.take(entry)
            done()
        adder.finish()
        return _outcome(sweep, refused, resumed=resumed)


@contextmanager
def _alone(corpus: Corpus) -> Iterator[None]:
    """Hold the corpus's lock, which ends with the process whatever happens to it."""
    key = [LOCKS, corpus.pk]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", key)
        if cursor.fetchone() != (True,):
            raise CorpusError(f"another process is adding to corpus {corpus.name!r}; wait until it has ended")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", key)


def _sweep(corpus: Corpus, source: str) -> tuple[CorpusSweep, bool]:
    """Find the sweep of this source that was stopped, else make one."""
    stopped = corpus.sweeps.filter(source=source, finished=None).last()
    if stopped:
        return stopped, True
    number = (corpus.sweeps.aggregate(Max("number"))["number__max"] or 0) + 1
    return CorpusSweep.objects.create(corpus=corpus, number=number, source=source), False


class _Adder:
    """Takes the documents of one sweep; knows what is stored, so that nothing is read twice."""

    def __init__(self, corpus: Corpus, sweep: CorpusSweep) -> None:
        self.corpus, self.sweep = corpus, sweep
        self._before = dict(sweep.documents.values_list("name", "sha256"))
        self._seen: set[str] = set()
        self._stored = {
            (digest, profile): key
            for key, digest, profile in corpus.texts.values_list("pk", "sha256", "profile")
        }
        self._texts: dict[tuple[str, str], CorpusText] = {}
        self._documents: list[tuple[CorpusDocument, tuple[str, str] | None]] = []
        self._flushed = time.monotonic()

    def take(self, entry: Unpacked) -> None:
        data = entry.data or b""
        digest = sha256(data).hexdigest()
        self._seen.add(entry.name)
        if self._before.get(entry.name) == digest:
            return
        document = CorpusDocument(sweep=self.sweep, name=entry.name, sha256=digest)
        try:
            opened = open_document(entry.name, data)
            self._documents.append((document, self._text(opened, digest)))
        except Unreadable as error:
            document.reason = str(error)
            self._documents.append((document, None))
        if len(self._documents) >= BATCH or time.monotonic() - self._flushed > BATCH_SECONDS:
            self._flush()

    def _text(self, opened: Opened, digest: str) -> tuple[str, str]:
        key = (digest, opened.profile)
        if key not in self._stored and key not in self._texts:
            self._texts[key] = _text_of(self.corpus, opened, digest)
        return key

    def _flush(self) -> None:
        with transaction.atomic():
            made = CorpusText.objects.bulk_create(self._texts.values())
            self._stored.update(zip(self._texts, (text.pk for text in made), strict=True))
            for document, key in self._documents:
                document.text_id = self._stored[key] if key else None
            changed = [document.name for document, _ in self._documents if document.name in self._before]
            self.sweep.documents.filter(name__in=changed).delete()
            CorpusDocument.objects.bulk_create(document for document, _ in self._documents)
        self._texts, self._documents, self._flushed = {}, [], time.monotonic()

    def finish(self) -> None:
        """Store the rest; forget what vanished since the sweep was stopped."""
        self._flush()
        vanished = [name for name in self._before if name not in self._seen]
        self.sweep.documents.filter(name__in=vanished).delete()
        self.sweep.finished = timezone.now()
        self.sweep.save(update_fields=["finished"])


def _text_of(corpus: Corpus, opened: Opened, digest: str) -> CorpusText:
    made = prints(kinds_of(opened))
    return CorpusText(
        corpus=corpus,
        sha256=digest,
        profile=opened.profile,
        kind=opened.kind,
        language=opened.front_end.name,
        tokens=made.tokens,
        digest=made.digest,
        sketch=pack(made.sketch),
        features=pack(made.features),
        simhash=None if made.simhash is None else _signed(made.simhash),
    )


def _signed(value: int) -> int:
    """Give the signed number of the same 64 bits, as Postgres keeps them."""
    return value - (1 << 64) if value >> 63 else value


# For each document of a sweep: the first that had its text, and whether an earlier sweep had it by its name.
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


def _outcome(sweep: CorpusSweep, refused: list[Skipped], *, resumed: bool) -> Added:
    with connection.cursor() as cursor:
        cursor.execute(ORIGINS, [sweep.pk])
        rows = cursor.fetchall()
    unread = sweep.documents.filter(text=None).values_list("name", "reason")
    return Added(
        sweep=sweep.number,
        resumed=resumed,
        new=sum(first for _, _, first, _ in rows),
        unchanged=sum(before for *_, before in rows),
        identical=[Identical(name, same) for name, same, first, before in rows if not first and not before],
        skipped=sorted([*refused, *(Skipped(*row) for row in unread)]),
    )
