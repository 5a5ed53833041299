"""The Celery task that computes a part of the work on a corpus; running it twice is safe."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

from celery import shared_task
from django.db import connection
from django.db.models import F
from django.utils import timezone
from psycopg import sql

from submissions.corpus.models import CorpusShard
from submissions.cursors import open_cursor
from submissions.heartbeats import package_version
from submissions.rows import update
from submissions.work_locks import Work, work_lock

if TYPE_CHECKING:
    from submissions.corpus.models import CorpusSweep

logger = logging.getLogger(__name__)


@shared_task
def compute_shard(shard_id: int) -> None:
    """Compute one part, unless another process does or whoever waited for it has stopped."""
    with work_lock(Work.CORPUS_SHARD, shard_id) as mine:
        shard = _start(shard_id) if mine else None
        if shard is None:
            return
        _compile()
        payload = stored_bytes(shard_id, "payload")
        result = count_values(payload) if shard.sweep is None else store(shard.sweep, payload)
        update(connection, CorpusShard, [shard_id], {"result": [result]})


def _start(shard_id: int) -> CorpusShard | None:
    waiting = CorpusShard.objects.filter(pk=shard_id, result=None)
    shard = waiting.select_related("corpus", "sweep__corpus").defer("payload").first()
    if shard is None:
        return None
    if shard.version != package_version():
        logger.warning("%s is of version %s; this worker is %s", shard, shard.version, package_version())
        return None
    waiting.update(attempts=F("attempts") + 1, touched=timezone.now())
    return shard


def stored_bytes(shard_id: int, column: str) -> bytes:
    """Return the payload or the result of a part as they are: as text they would have twice the size."""
    query = sql.SQL("SELECT {} FROM submissions_corpusshard WHERE id = %s").format(sql.Identifier(column))
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
