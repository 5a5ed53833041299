"""Measure the look-up of old submissions in a growing table of fingerprints, on a private Postgres server.

python -m bench.lookup --sizes 3000 10000 30000 [--fingerprints 300] [--dsn postgresql://...]

Documents are made up, with the frequencies of real code: most hashes of a document occur in it alone, others
in a family of documents that solve the same task, and some are idioms that a third of all documents have.
Every look-up is of a new document, by the query of the app; every tenth one was copied from a stored one.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import psycopg

from bench.private import database
from bench.tables import markdown
from submissions.storage.binary_copy import encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Connection = psycopg.Connection[tuple[Any, ...]]
    Ids = npt.NDArray[np.int64]

# Documents of one task, and how many of a document's fingerprints are of its task and are idioms.
FAMILY = 300
OF_TASK, IDIOMS = 0.35, 0.15
TASK_HASHES, IDIOM_HASHES = 20_000, 50_000
# Hashes are drawn as rank = count * random ** SKEW: the commonest are in many documents.
SKEW = 3.0
PROBES, COPIED_EVERY = 200, 10
# Documents that are made at once; sizes are multiples of it.
CHUNK = 1_000
MIX = np.uint64(0x9E3779B97F4A7C15)
CREATE = """
    CREATE TABLE submissions_fingerprint (
        document_id bigint NOT NULL, hash bigint NOT NULL, position integer NOT NULL
    )
"""
INDEXES = {
    "by_document": "CREATE INDEX by_document ON submissions_fingerprint (document_id)",
    "by_hash": "CREATE INDEX by_hash ON submissions_fingerprint (hash, document_id)",
}
COPY = "COPY submissions_fingerprint (document_id, hash, position) FROM STDIN (FORMAT binary)"


class Step(NamedTuple):
    """Figures at one size: what adding to the table and looking up in it costs, and what it takes."""

    documents: int
    fingerprints: int
    bytes_a_fingerprint: float
    index_bytes: float
    add_1000_seconds: float
    look_up_median_ms: float
    look_up_p95_ms: float
    look_up_most_ms: float
    copies_found: str


def made_up_hashes(first: int, documents: int, each: int) -> Ids:
    """Return the hashes of documents numbered from `first`: int64 [documents, each]."""
    random = np.random.default_rng(first)
    shape = (documents, each)
    own = random.integers(-(2**63), 2**63 - 1, shape, dtype=np.int64)
    tasks = (np.arange(first, first + documents) // FAMILY)[:, None].astype(np.uint64)
    ranks = (TASK_HASHES * random.random(shape) ** SKEW).astype(np.uint64)
    of_task = ((tasks * np.uint64(TASK_HASHES) + ranks + np.uint64(10**9)) * MIX).view(np.int64)
    idiom = ((IDIOM_HASHES * random.random(shape) ** SKEW).astype(np.uint64) * MIX).view(np.int64)
    kind = random.random(shape)
    return np.where(kind < IDIOMS, idiom, np.where(kind < IDIOMS + OF_TASK, of_task, own))


def add(connection: Connection, first: int, documents: int, each: int) -> None:
    """Store documents as the app does: with all their fingerprints, in one COPY for many of them."""
    for start in range(first, first + documents, CHUNK):
        count = min(CHUNK, first + documents - start)
        hashes = made_up_hashes(start, count, each).ravel()
        ids = np.repeat(np.arange(start, start + count, dtype=np.int64), each)
        positions = np.tile(np.arange(each, dtype=np.int32) * 3, count)
        with connection.cursor().copy(COPY) as copy:
            copy.write(encode((ids, hashes, positions)))


def probes(stored: int, each: int) -> Iterator[tuple[Ids, int | None]]:
    """Yield new documents, and of those that copy a third of a stored one, the number of that one."""
    random = np.random.default_rng(11)
    firsts = random.integers(0, stored, PROBES)
    for number, first in enumerate(firsts.tolist()):
        # A new document of a stored task.
        hashes = made_up_hashes(10**9 - 10**9 % FAMILY + first, 1, each)[0]
        if number % COPIED_EVERY == 0:
            hashes[: each // 3] = made_up_document(first, each)[: each // 3]
            yield hashes, first
        else:
            yield hashes, None


def made_up_document(number: int, each: int) -> Ids:
    """Return the hashes of one stored document, which was made in a chunk."""
    start = number - number % CHUNK
    hashes: Ids = made_up_hashes(start, CHUNK, each)[number - start]
    return hashes


def sizes(connection: Connection) -> tuple[int, int]:
    """Return the bytes of the table and of its indexes."""
    query = "SELECT pg_table_size(%(t)s), pg_indexes_size(%(t)s)"
    row = connection.execute(query, {"t": "submissions_fingerprint"}).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def measure(connection: Connection, documents: int, each: int, add_seconds: float) -> Step:
    """Look up the probes, each once, and return the figures."""
    times, right = [], 0
    expected = 0
    for hashes, copied in probes(documents, each):
        start = time.perf_counter()
        best = best_documents(connection, hashes)
        times.append(1e3 * (time.perf_counter() - start))
        expected += copied is not None
        right += copied is not None and copied in best
    heap, indexes = sizes(connection)
    total = documents * each
    return Step(
        documents,
        total,
        (heap + indexes) / total,
        indexes / total,
        add_seconds,
        float(np.median(times)),
        float(np.quantile(times, 0.95)),
        max(times),
        f"{right} of {expected}",
    )


def best_documents(connection: Connection, hashes: Ids) -> list[int]:
    """Return the documents that enter alignment, as a ranking chooses them."""
    from submissions.ranking.old_work import MAX_CANDIDATES  # noqa: PLC0415 - Django is set up first
    from submissions.storage.postings import shared_rarity  # noqa: PLC0415

    shared = shared_rarity(connection.cursor(), hashes.view(np.uint64))
    order = np.lexsort((shared.documents, -shared.weights))
    chosen: list[int] = shared.documents[order][:MAX_CANDIDATES].tolist()
    return chosen


def steps(connection: Connection, wanted: Sequence[int], each: int) -> Iterator[Step]:
    """Grow the table to each size, the last 1,000 documents with the indexes in place, and measure."""
    connection.execute(CREATE)
    stored = 0
    for size in wanted:
        for name in INDEXES:
            connection.execute(f"DROP INDEX IF EXISTS {name}")
        add(connection, stored, size - CHUNK - stored, each)
        for statement in INDEXES.values():
            connection.execute(statement)
        start = time.perf_counter()
        add(connection, size - CHUNK, CHUNK, each)
        seconds = time.perf_counter() - start
        stored = size
        connection.execute("VACUUM ANALYZE submissions_fingerprint")
        yield measure(connection, size, each, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 10_000, 30_000], help="documents")
    parser.add_argument("--fingerprints", type=int, default=300, help="fingerprints of each document")
    parser.add_argument("--dsn", help="database to use (default: a private server)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")
    import django  # noqa: PLC0415 - needs the settings

    django.setup()
    with database(arguments.dsn) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA bench_lookup")
        connection.execute("SET search_path TO bench_lookup")
        rows = list(steps(connection, arguments.sizes, arguments.fingerprints))
        connection.execute("DROP SCHEMA bench_lookup CASCADE")
    if arguments.json:
        print(json.dumps([row._asdict() for row in rows]))
    else:
        print(markdown([name.replace("_", " ") for name in Step._fields], [_cells(row) for row in rows]))


def _cells(row: Step) -> list[str]:
    return [f"{value:,.1f}" if isinstance(value, float) else str(value) for value in row]


if __name__ == "__main__":
    main()
