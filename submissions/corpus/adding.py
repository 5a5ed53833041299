"""Add documents to a corpus in sweeps, in this process or by all workers; a stopped sweep can be resumed."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from submissions.corpus.corpora import check_current, exclusive_lock
from submissions.corpus.models import Corpus, CorpusSweep
from submissions.corpus.reading import SkippedDocument, read_entries
from submissions.corpus.recipe import RECIPE
from submissions.corpus.sharing import compute_on_workers
from submissions.corpus.storing import RawDocument, pack_documents, store_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

# A part of a sweep that is read at once has at most this many documents and not many more bytes.
PART_DOCUMENTS = 256
PART_BYTES = 1_000_000


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


def add_documents(
    name: str, path: Path, on_entry: Callable[[], None] = lambda: None, *, on_workers: bool = False
) -> SweepResult:
    """Read a folder, archive or file into a corpus as a new sweep, or resume its stopped sweep.

    `on_entry` is called after each entry. When reading is interrupted, the documents written so far stay.
    The documents are read in this process or, `on_workers`, by all workers.

    Raises
    ------
    BadArchive
        When `path` cannot be read.
    CorpusError
        When the corpus was created by another version, another process is adding to it, or the workers
        cannot read.
    """
    corpus, _ = Corpus.objects.get_or_create(name=name, defaults={"recipe": RECIPE.key})
    with exclusive_lock(corpus):
        check_current(corpus)
        sweep, resumed = _resume_or_create_sweep(corpus, str(path.resolve()))
        entries = _Entries(sweep, on_entry)
        parts = _parts(entries.unread(path))
        if on_workers:
            for _ in compute_on_workers(corpus, map(pack_documents, parts), sweep):
                pass  # The workers write what they read.
        else:
            for part in parts:
                store_documents(sweep, part)
        entries.finish()
        return _sweep_result(sweep, entries.refused, resumed=resumed)


def _resume_or_create_sweep(corpus: Corpus, source: str) -> tuple[CorpusSweep, bool]:
    """Return the unfinished sweep of this source, or a new sweep, and whether it is resumed."""
    unfinished = corpus.sweeps.filter(source=source, finished=None).last()
    if unfinished:
        return unfinished, True
    number = (corpus.sweeps.aggregate(Max("number"))["number__max"] or 0) + 1
    return CorpusSweep.objects.create(corpus=corpus, number=number, source=source), False


class _Entries:
    """The entries of a sweep: which documents have to be read, which are refused, and which have vanished."""

    def __init__(self, sweep: CorpusSweep, on_entry: Callable[[], None]) -> None:
        self.refused: list[SkippedDocument] = []
        self._sweep, self._on_entry = sweep, on_entry
        # SHA-256 by document name, as stored before the sweep was stopped.
        self._hashes_before = dict(sweep.documents.values_list("name", "sha256"))
        self._names: set[str] = set()

    def unread(self, path: Path) -> Iterator[RawDocument]:
        """Yield the documents of a folder, archive or file that are not stored as they are."""
        for entry in read_entries(path):
            if entry.reason:
                self.refused.append(SkippedDocument(entry.name, entry.reason))
            else:
                data = entry.data or b""
                self._names.add(entry.name)
                if self._hashes_before.get(entry.name) != sha256(data).hexdigest():
                    yield RawDocument(entry.name, data)
            self._on_entry()

    def finish(self) -> None:
        """Delete the documents that vanished while the sweep was stopped, and end the sweep."""
        vanished = [name for name in self._hashes_before if name not in self._names]
        self._sweep.documents.filter(name__in=vanished).delete()
        self._sweep.finished = timezone.now()
        self._sweep.save(update_fields=["finished"])


def _parts(documents: Iterable[RawDocument]) -> Iterator[list[RawDocument]]:
    part: list[RawDocument] = []
    size = 0
    for document in documents:
        part.append(document)
        size += len(document.data)
        if len(part) == PART_DOCUMENTS or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


# For each document of a sweep: its name, the name of the first document that had its text, whether that is
# the document itself, and whether an earlier sweep had the same text under the same name.
ORIGINS = """
    WITH origin AS (
        SELECT DISTINCT ON (text_id) text_id, id, name FROM corpus_corpusdocument
        WHERE text_id IN (SELECT text_id FROM corpus_corpusdocument WHERE sweep_id = %(sweep)s)
        ORDER BY text_id, sweep_id, name COLLATE "C"
    )
    SELECT document.name, origin.name, origin.id = document.id, EXISTS (
            SELECT FROM corpus_corpusdocument earlier
            WHERE earlier.text_id = document.text_id AND earlier.name = document.name
                AND earlier.sweep_id < document.sweep_id
        )
    FROM corpus_corpusdocument document JOIN origin USING (text_id)
    WHERE document.sweep_id = %(sweep)s ORDER BY document.name COLLATE "C"
"""


def _sweep_result(sweep: CorpusSweep, refused: list[SkippedDocument], *, resumed: bool) -> SweepResult:
    with connection.cursor() as cursor:
        # Without statistics of the new rows, Postgres joins them in nested loops: 30 s for 20,000 documents.
        cursor.execute("ANALYZE corpus_corpusdocument, corpus_corpustext")
        cursor.execute(ORIGINS, {"sweep": sweep.pk})
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
