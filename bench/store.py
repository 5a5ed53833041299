"""Rows or packed arrays: time both uses of stored fingerprints on a real Postgres.

python -m bench.store --documents 20000 --fingerprints 500 [--dsn postgresql://...]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg

from bench.private import database
from submissions.storage.binary_copy import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Connection = psycopg.Connection[tuple[Any, ...]]
    Ids = npt.NDArray[np.int64]

POOL = 200_000  # k-grams that many documents may hold
SHARED = 0.4  # how many of a document's fingerprints come from the pool


@dataclass(frozen=True)
class Fingerprints:
    """Parallel arrays, in order of document and position."""

    documents: Ids
    positions: npt.NDArray[np.int32]
    hashes: Ids

    def of(self, document: int) -> Fingerprints:
        low, high = np.searchsorted(self.documents, [document, document + 1])
        return Fingerprints(self.documents[low:high], self.positions[low:high], self.hashes[low:high])


@dataclass(frozen=True)
class Design:
    """One way to store: tables and indexes, and the four operations on them."""

    name: str
    tables: tuple[str, ...]
    create: tuple[str, ...]
    index: tuple[str, ...]
    save: Callable[[Connection, Fingerprints], None]
    load: Callable[[Connection, Ids], int]
    sharing: Callable[[Connection, Ids], int]
    drop: tuple[str, ...]


def invented(first: int, documents: int, each: int) -> Fingerprints:
    """Invent documents that share a part of their hashes; the commonest is in about a third of them."""
    random = np.random.default_rng(first)
    total = documents * each
    own = random.integers(-(2**63), 2**63 - 1, total, dtype=np.int64)
    ranks = (POOL * random.random(total) ** 2).astype(np.uint64)
    common = ranks * np.uint64(0x9E3779B97F4A7C15)
    hashes = np.where(random.random(total) < SHARED, common.view(np.int64), own)
    ids = np.repeat(np.arange(first, first + documents, dtype=np.int64), each)
    gaps = random.integers(1, 5, (documents, each), dtype=np.int32)
    return Fingerprints(ids, np.cumsum(gaps, axis=1, dtype=np.int32).ravel(), hashes)


def copy_in(connection: Connection, table: str, *columns: npt.NDArray[np.integer]) -> None:
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
        copy.write(encode(columns))


def save_rows(connection: Connection, made: Fingerprints) -> None:
    copy_in(connection, "rows (document, position, hash)", made.documents, made.positions, made.hashes)


def load_rows(connection: Connection, ids: Ids) -> int:
    """Let the server join a document's rows: COPY OUT is one message, so one Python step, a row."""
    query = (
        "SELECT document, string_agg(int8send(hash), ''), string_agg(int4send(position), '')"
        " FROM rows WHERE document = ANY(%s) GROUP BY document"
    )
    found = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    return len(np.frombuffer(b"".join(row[1] for row in found), ">i8").astype(np.int64))


def sharing_rows(connection: Connection, hashes: Ids) -> int:
    query = "SELECT document, count(DISTINCT hash) FROM rows WHERE hash = ANY(%s) GROUP BY document"
    return len(connection.execute(query, [np.unique(hashes).tolist()], binary=True).fetchall())


def save_packed(connection: Connection, made: Fingerprints) -> None:
    with connection.cursor().copy(
        "COPY packed (document, hashes, positions) FROM STDIN (FORMAT binary)"
    ) as copy:
        copy.set_types(["int8", "bytea", "bytea"])
        for document, low, high in spans(made):
            copy.write_row((document, made.hashes[low:high].tobytes(), made.positions[low:high].tobytes()))


def spans(made: Fingerprints) -> list[tuple[int, int, int]]:
    ids, starts = np.unique(made.documents, return_index=True)
    ends = np.append(starts[1:], len(made.documents))
    return list(zip(ids.tolist(), starts.tolist(), ends.tolist(), strict=True))


def load_packed(connection: Connection, ids: Ids) -> int:
    query = "SELECT document, hashes, positions FROM packed WHERE document = ANY(%s)"
    found = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    hashes = np.frombuffer(b"".join(row[1] for row in found), np.int64)
    positions = np.frombuffer(b"".join(row[2] for row in found), np.int32)
    documents = np.repeat([row[0] for row in found], [len(row[1]) // 8 for row in found])
    assert len(documents) == len(positions)
    return len(hashes)


def sharing_packed(connection: Connection, hashes: Ids) -> int:
    """Read everything: what is left when nothing is inverted."""
    wanted = np.unique(hashes)
    found = 0
    with connection.cursor("scan", withhold=True) as cursor:
        cursor.itersize = 1000
        for _, packed in cursor.execute("SELECT document, hashes FROM packed", binary=True):
            found += bool(np.isin(np.frombuffer(packed, np.int64), wanted).any())
    return found


def save_gin(connection: Connection, made: Fingerprints) -> None:
    with connection.cursor().copy(
        "COPY arrays (document, hashes, positions) FROM STDIN (FORMAT binary)"
    ) as copy:
        copy.set_types(["int8", "int8[]", "bytea"])
        for document, low, high in spans(made):
            copy.write_row((document, made.hashes[low:high].tolist(), made.positions[low:high].tobytes()))


def load_gin(connection: Connection, ids: Ids) -> int:
    query = "SELECT document, array_send(hashes), positions FROM arrays WHERE document = ANY(%s)"
    found = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    element = np.dtype([("length", ">i4"), ("value", ">i8")])
    return sum(len(np.frombuffer(row[1], element, -1, 20)["value"].astype(np.int64)) for row in found)


def sharing_gin(connection: Connection, hashes: Ids) -> int:
    query = (
        "SELECT document, count(DISTINCT h) FROM arrays, unnest(hashes) h"
        " WHERE hashes && %(h)s::int8[] AND h = ANY(%(h)s::int8[]) GROUP BY document"
    )
    return len(connection.execute(query, {"h": np.unique(hashes).tolist()}, binary=True).fetchall())


def save_postings(connection: Connection, made: Fingerprints) -> None:
    save_packed(connection, made)
    order = np.lexsort((made.hashes, made.documents))
    documents, hashes = made.documents[order], made.hashes[order]
    fresh = np.ones(len(hashes), dtype=np.bool_)
    fresh[1:] = (hashes[1:] != hashes[:-1]) | (documents[1:] != documents[:-1])
    copy_in(connection, "postings (hash, document)", hashes[fresh], documents[fresh])


def sharing_postings(connection: Connection, hashes: Ids) -> int:
    query = "SELECT document, count(*) FROM postings WHERE hash = ANY(%s) GROUP BY document"
    return len(connection.execute(query, [np.unique(hashes).tolist()], binary=True).fetchall())


ROWS = "CREATE TABLE rows (document bigint NOT NULL, hash bigint NOT NULL, position integer NOT NULL)"
PACKED = (
    "CREATE TABLE packed (document bigint PRIMARY KEY,"
    " hashes bytea STORAGE EXTERNAL NOT NULL, positions bytea STORAGE EXTERNAL NOT NULL)"
)
ARRAYS = (
    "CREATE TABLE arrays (document bigint PRIMARY KEY, hashes bigint[] NOT NULL, positions bytea NOT NULL)"
)
BRIN = "CREATE INDEX ON rows USING brin (document) WITH (pages_per_range = 8)"
DROP_ROWS = ("DELETE FROM rows WHERE document = ANY(%s)",)
DROP_PACKED = ("DELETE FROM packed WHERE document = ANY(%s)",)
DESIGNS = (
    Design(
        "rows, primary key, btree(hash)", ("rows",), (ROWS,),
        ("ALTER TABLE rows ADD PRIMARY KEY (document, position)", "CREATE INDEX ON rows (hash)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    Design(
        "rows, btree(document), btree(hash, document)", ("rows",), (ROWS,),
        ("CREATE INDEX ON rows (document)", "CREATE INDEX ON rows (hash, document)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    Design(
        "rows, brin(document), btree(hash, document)", ("rows",), (ROWS,),
        (BRIN, "CREATE INDEX ON rows (hash, document)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    Design(
        "packed, nothing inverted", ("packed",), (PACKED,), (),
        save_packed, load_packed, sharing_packed, DROP_PACKED,
    ),
    Design(
        "packed bigint[], GIN", ("arrays",),
        (ARRAYS,),
        ("CREATE INDEX ON arrays USING gin (hashes) WITH (fastupdate = off)",),
        save_gin, load_gin, sharing_gin, ("DELETE FROM arrays WHERE document = ANY(%s)",),
    ),
    Design(
        "packed, postings(hash, document)", ("packed", "postings"),
        (PACKED, "CREATE TABLE postings (hash bigint NOT NULL, document bigint NOT NULL)"),
        ("ALTER TABLE postings ADD PRIMARY KEY (hash, document)", "CREATE INDEX ON postings (document)"),
        save_postings, load_packed, sharing_postings,
        (*DROP_PACKED, "DELETE FROM postings WHERE document = ANY(%s)"),
    ),
)  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(connection: Connection, design: Design, made: Fingerprints, each: int) -> list[str]:
    """Build one design's archive and time what the app does with it; a row of the table."""
    for statement in design.create:
        connection.execute(statement)
    load = seconds(partial(design.save, connection, made))
    index = seconds(lambda: [connection.execute(statement) for statement in design.index])
    connection.execute(f"VACUUM ANALYZE {', '.join(design.tables)}")
    heap, total = sizes(connection, design)
    documents = int(made.documents[-1])
    random = np.random.default_rng(7)
    cohorts = [random.choice(documents, size, replace=False) + 1 for size in (200, 2000) if size <= documents]
    loads = [min(seconds(partial(design.load, connection, c)) for _ in range(3)) for c in cohorts]
    probes = [made.of(int(d)).hashes for d in random.choice(documents, 5, replace=False) + 1]
    cold = [seconds(partial(design.sharing, connection, p)) for p in probes]
    warm = [seconds(partial(design.sharing, connection, p)) for p in probes]
    later = invented(documents + 1, 200, each)
    added = seconds(lambda: design.save(connection, later))
    ids = np.unique(later.documents).tolist()
    dropped = seconds(lambda: [connection.execute(statement, [ids]) for statement in design.drop])
    for table in design.tables:
        connection.execute(f"DROP TABLE {table}")
    count = len(made.hashes)
    return [
        design.name, f"{count / load / 1e6:.2f}", f"{index:.1f}",
        f"{heap / count:.0f}", f"{(total - heap) / count:.0f}",
        *(f"{1e3 * t:.0f}" for t in loads), f"{1e3 * np.median(cold):.1f}", f"{1e3 * np.median(warm):.1f}",
        f"{1e3 * added / 200:.2f}", f"{1e3 * dropped / 200:.2f}",
    ]  # fmt: skip


def sizes(connection: Connection, design: Design) -> tuple[int, int]:
    """Bytes of the tables, out-of-line values included, and of the tables with their indexes."""
    query = (
        "SELECT sum(pg_table_size(t)), sum(pg_total_relation_size(t)) FROM unnest(%s::text[]::regclass[]) t"
    )
    row = connection.execute(query, [list(design.tables)]).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


HEADINGS = (
    "design", "load, M/s", "index, s", "heap, B", "index, B", "cohort 200, ms", "cohort 2000, ms",
    "look-up first, ms", "look-up again, ms", "add a document, ms", "drop a document, ms",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--fingerprints", type=int, default=500, help="a document")
    parser.add_argument("--dsn")
    parser.add_argument("--only", default="", help="designs whose name holds this")
    options = parser.parse_args()
    made = invented(1, options.documents, options.fingerprints)
    with database(options.dsn) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS bench_store")
        connection.execute("SET search_path TO bench_store")
        print("| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS))
        for design in (design for design in DESIGNS if options.only in design.name):
            print(
                "| " + " | ".join(measure(connection, design, made, options.fingerprints)) + " |", flush=True
            )
        connection.execute("DROP SCHEMA bench_store")


if __name__ == "__main__":
    main()
