"""Add documents to a corpus in sweeps, and cluster it, in this process or by all workers.

A stopped sweep can be resumed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min
from django.utils import timezone
from psycopg import sql

from fingerprint import Clustering, Sketches, cluster, duplicate_labels, merge_shared, mod_resemblance, value_ranges
from fingerprint.kernels.types import Documents, Hashes
from submissions.archive import corpora, signatures
from submissions.archive.models import Corpus, CorpusDocument, CorpusShard, CorpusSweep
from submissions.core.database import insert, open_cursor, update
from submissions.models import Job
from submissions.work import heartbeats, jobs
from submissions.work.kinds import HEAVY
from submissions.work.running import restart_lost

# Parts that wait at a time: enough for the workers of several machines, and little in the database.
MOST_WAITING = 16
POLL_SECONDS = 0.02
CHECK_SECONDS = 1.0
KIND = "corpus_shard"

# A part of a sweep that is read at once has at most this many documents and not many more bytes.
PART_DOCUMENTS = 256
PART_BYTES = 1_000_000

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

# Values that a worker counts at once, 8 bytes each, and the least number of ranges, for several workers.
RANGE_VALUES = 1_000_000
LEAST_RANGES = 4


def has_workers() -> bool:
    """Return whether a worker answers that could compute parts; any version counts."""
    return bool(heartbeats.answering(HEAVY))


def check_workers() -> None:
    """Raise CorpusError where no worker answers, or one is of another version."""
    alive, version = heartbeats.answering(HEAVY), heartbeats.package_version()
    others = [worker.title for worker in alive if worker.version != version]
    if others:
        raise corpora.CorpusError(
            f"this is version {version}, but there are {', '.join(others)}; restart these workers with this "
            "version, or use --here"
        )
    if not alive:
        raise corpora.CorpusError("no worker answers; start one (`celery -A moss worker`), or use --here")


def compute_on_workers(corpus: Corpus, payloads: Iterable[bytes], sweep: CorpusSweep | None = None) -> Iterator[bytes]:
    """Yield what workers computed with each payload, in any order; the caller has the corpus locked.

    Raises CorpusError when no worker answers, one is of another version, or a part fails each time. Raises
    KeyboardInterrupt soon after Ctrl-C.
    """
    check_workers()
    _forget_parts(corpus)  # of a process that was killed
    with interrupts_held() as raise_held:
        waiting = _Waiting(corpus, sweep, raise_held)
        try:
            for payload in payloads:
                waiting.add(payload)
                yield from waiting.results(below=MOST_WAITING)
            yield from waiting.results(below=1)
        finally:
            _forget_parts(corpus)


def _forget_parts(corpus: Corpus) -> None:
    Job.objects.filter(kind=KIND, subject__in=corpus.shards.values("pk")).delete()
    corpus.shards.all().delete()


class _Waiting:
    """The parts that are sent to workers and are not computed yet, by their primary keys."""

    def __init__(self, corpus: Corpus, sweep: CorpusSweep | None, raise_held: Callable[[], None]) -> None:
        self._corpus, self._sweep, self._raise_held = corpus, sweep, raise_held
        self._keys: set[int] = set()
        self._checked = time.monotonic()

    def add(self, payload: bytes) -> None:
        columns: dict[str, list[Any]] = {
            "corpus_id": [self._corpus.pk],
            "sweep_id": [self._sweep and self._sweep.pk],
            "payload": [payload],
        }
        [(pk,)] = insert(connection, CorpusShard, columns, ["id"])
        self._keys.add(pk)
        jobs.enqueue(KIND, pk, queue=HEAVY)

    def results(self, *, below: int) -> Iterator[bytes]:
        """Yield results until fewer than `below` parts wait."""
        while True:
            self._raise_held()
            if len(self._keys) < below:
                return
            done = CorpusShard.objects.filter(pk__in=self._keys).exclude(result=None)
            done_keys = list(done.values_list("pk", flat=True))
            for pk in done_keys:
                yield stored_bytes(pk, "result")
            CorpusShard.objects.filter(pk__in=done_keys).delete()
            self._keys -= set(done_keys)
            if not done_keys:
                self._look_for_lost()
                time.sleep(POLL_SECONDS)

    def _look_for_lost(self) -> None:
        """Have parts computed again whose worker or message was lost, from time to time."""
        if time.monotonic() - self._checked < CHECK_SECONDS:
            return
        self._checked = time.monotonic()
        check_workers()
        restart_lost(KIND)
        if Job.objects.filter(kind=KIND, subject__in=self._keys, state=Job.State.FAILED).exists():
            raise corpora.CorpusError(
                "a part of the work failed; the logs of the workers say why. --here does it in this process"
            )


@contextmanager
def interrupts_held() -> Iterator[Callable[[], None]]:
    """Hold the first Ctrl-C of the block back; yield a function that raises KeyboardInterrupt for it.

    Django does not leave a transaction that KeyboardInterrupt interrupts while it begins: what is deleted
    afterwards would stay. A second Ctrl-C is raised at once. Nothing is done in other threads than the main
    one, which gets the signals, and where another handler is set.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is not signal.default_int_handler:
        yield lambda: None
        return
    is_pressed = False

    def hold(*_: object) -> None:
        nonlocal is_pressed
        is_pressed = True
        signal.signal(signal.SIGINT, before)

    def raise_held() -> None:
        if is_pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, hold)
    try:
        yield raise_held
    finally:
        signal.signal(signal.SIGINT, before)


def corpus_shard(job: Job) -> None:
    """Compute one part, unless whoever waited for it has stopped."""
    waiting = CorpusShard.objects.filter(pk=job.subject, result=None)
    shard = waiting.select_related("corpus", "sweep__corpus").defer("payload").first()
    if shard is None:
        return
    _compile()
    payload = stored_bytes(shard.pk, "payload")
    result = count_values(payload) if shard.sweep is None else store(shard.sweep, payload)
    update(connection, CorpusShard, [shard.pk], {"result": [result]})


def stored_bytes(shard_id: int, column: str) -> bytes:
    """Return the payload or the result of a part as they are: as text they would have twice the size."""
    query = sql.SQL("SELECT {} FROM corpus_corpusshard WHERE id = %s").format(sql.Identifier(column))
    with open_cursor(connection) as cursor:
        row = cursor.execute(query, [shard_id], binary=True).fetchone()
    return bytes(row[0]) if row and row[0] else b""


@cache
def _compile() -> None:
    """Have one process of this machine compile the kernels, before several need them at once."""
    from fingerprint.engine import ensure_compiled  # noqa: PLC0415 - the engine, in workers only

    ensure_compiled()


def store(sweep: CorpusSweep, payload: bytes) -> bytes:
    """Read the documents of a part of a sweep and write them; the result is empty."""
    signatures.store_documents(sweep, signatures.unpack_documents(payload))
    return b""


def count_values(payload: bytes) -> bytes:
    """Return how many values of one range each two documents share."""
    from fingerprint import count_shared  # noqa: PLC0415 - imports the engine: workers only
    from submissions.archive.signatures import pack_shared, unpack_sketches  # noqa: PLC0415 - as above

    return pack_shared(count_shared(*unpack_sketches(payload)))


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
    skipped: list[signatures.SkippedDocument]


def add_documents(
    name: str, path: Path, on_entry: Callable[[], None] = lambda: None, *, on_workers: bool = False
) -> SweepResult:
    """Read a folder, archive or file into a corpus as a new sweep, or resume its stopped sweep.

    `on_entry` is called after each entry. When reading is interrupted, the documents written so far stay. The
    documents are read in this process or, `on_workers`, by all workers. Raises BadArchive when `path` cannot
    be read. Raises CorpusError when the corpus was created by another version, another process is adding to
    it, or the workers cannot read.
    """
    corpus, _ = Corpus.objects.get_or_create(name=name, defaults={"recipe": signatures.RECIPE.key})
    with corpora.exclusive_lock(corpus):
        corpora.check_current(corpus)
        sweep, resumed = _resume_or_create_sweep(corpus, str(path.resolve()))
        entries = _Entries(sweep, on_entry)
        parts = _parts(entries.unread(path))
        if on_workers:
            for _ in compute_on_workers(corpus, map(signatures.pack_documents, parts), sweep):
                pass  # The workers write what they read.
        else:
            for part in parts:
                signatures.store_documents(sweep, part)
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
        self.refused: list[signatures.SkippedDocument] = []
        self._sweep, self._on_entry = sweep, on_entry
        # SHA-256 by document name, as stored before the sweep was stopped.
        self._hashes_before = dict(sweep.documents.values_list("name", "sha256"))
        self._names: set[str] = set()

    def unread(self, path: Path) -> Iterator[signatures.RawDocument]:
        """Yield the documents of a folder, archive or file that are not stored as they are."""
        for entry in signatures.read_entries(path):
            if entry.reason:
                self.refused.append(signatures.SkippedDocument(entry.name, entry.reason))
            else:
                data = entry.data or b""
                self._names.add(entry.name)
                if self._hashes_before.get(entry.name) != sha256(data).hexdigest():
                    yield signatures.RawDocument(entry.name, data)
            self._on_entry()

    def finish(self) -> None:
        """Delete the documents that vanished while the sweep was stopped, and end the sweep."""
        vanished = [name for name in self._hashes_before if name not in self._names]
        self._sweep.documents.filter(name__in=vanished).delete()
        self._sweep.finished = timezone.now()
        self._sweep.save(update_fields=["finished"])


def _parts(documents: Iterable[signatures.RawDocument]) -> Iterator[list[signatures.RawDocument]]:
    part: list[signatures.RawDocument] = []
    size = 0
    for document in documents:
        part.append(document)
        size += len(document.data)
        if len(part) == PART_DOCUMENTS or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _sweep_result(sweep: CorpusSweep, refused: list[signatures.SkippedDocument], *, resumed: bool) -> SweepResult:
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
        skipped=sorted([*refused, *(signatures.SkippedDocument(*row) for row in unreadable)]),
    )


class ClusteredDocument(NamedTuple):
    """A document of a cluster, compared with the first document of the cluster.

    `same` is IDENTICAL, SAME_TOKENS or "" for no duplicate; JSON output uses it as a key. `resemblance` is
    estimated from the sketches; None where both are empty.
    """

    stored: corpora.StoredDocument
    same: str
    resemblance: float | None


class _Document(NamedTuple):
    stored: corpora.StoredDocument
    sha256: str
    digest: str | None
    sketch: Hashes


def clusters(name: str, threshold: float = 0.5, *, on_workers: bool = False) -> list[list[ClusteredDocument]]:
    """Return the clusters of the documents of all sweeps, the largest first (syntactic-clustering).

    A document that has the same text in several sweeps counts once. With another text it counts again. Shared
    values are counted in this process or, `on_workers`, by all workers; the clusters are the same. Raises
    CorpusError when there is no such corpus, it is empty or was created by another version, or the workers
    cannot count. Raises ValueError when `threshold` is not above 0 and at most 1.
    """
    corpus = corpora.get_current_corpus(name)
    documents = _documents(corpus)
    sketches = Sketches.from_sketches(document.sketch for document in documents)
    exact = [document.sha256 for document in documents]
    lexical = [document.digest for document in documents]
    if on_workers:
        clustering = _cluster_on_workers(corpus, sketches, duplicate_labels(sketches, exact, lexical), threshold)
    else:
        clustering = cluster(sketches, threshold=threshold, exact=exact, lexical=lexical)
    groups = [[documents[number] for number in group.tolist()] for group in clustering.groups()]
    groups.sort(key=lambda group: (-len(group), group[0].stored.document))
    return [[_compared(document, group[0]) for document in group] for group in groups]


def _cluster_on_workers(corpus: Corpus, sketches: Sketches, duplicates: Documents, threshold: float) -> Clustering:
    ranges = value_ranges(max(LEAST_RANGES, ceil(len(sketches.values) / RANGE_VALUES)))
    payloads = (signatures.pack_sketches(sketches.within(start, end), duplicates) for start, end in ranges)
    with corpora.exclusive_lock(corpus):
        counted = map(signatures.unpack_shared, compute_on_workers(corpus, payloads))
        return merge_shared(sketches, duplicates, counted, threshold=threshold)


def _documents(corpus: Corpus) -> list[_Document]:
    rows = list(
        CorpusDocument.objects.filter(sweep__corpus=corpus, text__isnull=False)
        .values("name", "text_id", "text__sha256", "text__digest", "text__tokens")
        .annotate(first=Min("sweep__number"), last=Max("sweep__number"))
        .order_by("first", "name")
    )
    sketches = corpora.load_sketches(corpus)
    return [
        _Document(
            corpora.StoredDocument(row["name"], row["first"], row["last"]),
            row["text__sha256"],
            row["text__digest"] if row["text__tokens"] else None,  # all texts without tokens share a digest
            sketches[row["text_id"]],
        )
        for row in rows
    ]


def _compared(document: _Document, first: _Document) -> ClusteredDocument:
    if document.sha256 == first.sha256:
        return ClusteredDocument(document.stored, corpora.IDENTICAL, 1.0)
    if document.digest is not None and document.digest == first.digest:
        return ClusteredDocument(document.stored, corpora.SAME_TOKENS, 1.0)
    has_values = len(document.sketch) or len(first.sketch)
    resemblance = mod_resemblance(document.sketch, first.sketch) if has_values else None
    return ClusteredDocument(document.stored, "", resemblance)
