"""Have all workers compute the parts of adding to a corpus, or of clustering it.

Ctrl-C is held back meanwhile, and ends the work between two statements, never inside a transaction.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import connection
from psycopg import sql

from submissions.corpus.corpora import CorpusError
from submissions.corpus.models import CorpusShard
from submissions.models import Job
from submissions.rows import insert, open_cursor, update
from submissions.work import heartbeats, jobs
from submissions.work.kinds import HEAVY
from submissions.work.stuck import restart_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from submissions.corpus.models import Corpus, CorpusSweep

# Parts that wait at a time: enough for the workers of several machines, and little in the database.
MOST_WAITING = 16
POLL_SECONDS = 0.02
CHECK_SECONDS = 1.0
KIND = "corpus_shard"


def has_workers() -> bool:
    """Return whether a worker answers that could compute parts; any version counts."""
    return bool(heartbeats.answering(HEAVY))


def check_workers() -> None:
    """Raise CorpusError where no worker answers, or one is of another version."""
    alive, version = heartbeats.answering(HEAVY), heartbeats.package_version()
    others = [worker.title for worker in alive if worker.version != version]
    if others:
        raise CorpusError(
            f"this is version {version}, but there are {', '.join(others)}; restart these workers with this "
            "version, or use --here"
        )
    if not alive:
        raise CorpusError("no worker answers; start one (`celery -A moss worker`), or use --here")


def compute_on_workers(
    corpus: Corpus, payloads: Iterable[bytes], sweep: CorpusSweep | None = None
) -> Iterator[bytes]:
    """Yield what workers computed with each payload, in any order; the caller has the corpus locked.

    Raises
    ------
    CorpusError
        When no worker answers, one is of another version, or a part fails each time.
    KeyboardInterrupt
        Soon after Ctrl-C.
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
            raise CorpusError(
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
    # It imports the engine: workers only.
    from submissions.corpus.storing import store_documents, unpack_documents  # noqa: PLC0415

    store_documents(sweep, unpack_documents(payload))
    return b""


def count_values(payload: bytes) -> bytes:
    """Return how many values of one range each two documents share."""
    from fingerprint import count_shared  # noqa: PLC0415 - imports the engine: workers only
    from submissions.corpus.storing import pack_shared, unpack_sketches  # noqa: PLC0415 - as above

    return pack_shared(count_shared(*unpack_sketches(payload)))
