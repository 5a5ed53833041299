"""Compute a part of the work on a corpus, in a worker; doing it twice is safe."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from django.db import connection
from psycopg import sql

from submissions.corpus.models import CorpusShard
from submissions.rows import open_cursor, update

if TYPE_CHECKING:
    from submissions.corpus.models import CorpusSweep
    from submissions.models import Job


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
    from submissions.corpus.packets import unpack_documents  # noqa: PLC0415 - imports the engine: workers only
    from submissions.corpus.storing import store_documents  # noqa: PLC0415

    store_documents(sweep, unpack_documents(payload))
    return b""


def count_values(payload: bytes) -> bytes:
    """Return how many values of one range each two documents share."""
    from fingerprint import count_shared  # noqa: PLC0415 - imports the engine: workers only
    from submissions.corpus.packets import pack_shared, unpack_sketches  # noqa: PLC0415

    return pack_shared(count_shared(*unpack_sketches(payload)))
