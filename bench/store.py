"""Compare designs for storing fingerprints in Postgres: rows, packed arrays and inverted indexes.

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

from bench.binary_copy import encode
from bench.private import database

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Connection = psycopg.Connection[tuple[Any, ...]]
    Ids = npt.NDArray[np.int64]

POOL = 200_000  # hashes that several documents may share
SHARED = 0.4  # share of a document's fingerprints that come from the pool


@dataclass(frozen=True)
class FingerprintRows:
    """Fingerprints of several documents as parallel arrays, sorted by document and position."""

    documents: Ids
    positions: npt.NDArray[np.int32]
    hashes: Ids

    def hashes_of(self, document: int) -> Ids:
        low, high = np.searchsorted(self.documents, [document, document + 1])
        return self.hashes[low:high]


@dataclass(frozen=True)
class StorageDesign:
    """A way to store fingerprints: statements that create its tables and indexes, and four operations.

    `save` stores fingerprints; `load` reads those of some documents and returns their number; `sharing` looks
    up the documents that share one of the hashes and returns their number; `drop` deletes documents.
    """

    name: str
    tables: tuple[str, ...]
    create: tuple[str, ...]
    index: tuple[str, ...]
    save: Callable[[Connection, FingerprintRows], None]
    load: Callable[[Connection, Ids], int]
    sharing: Callable[[Connection, Ids], int]
    drop: tuple[str, ...]


def random_fingerprints(first: int, documents: int, per_document: int) -> FingerprintRows:
    """Return random documents, numbered from `first`; the commonest hash is in about a third of them."""
    random = np.random.default_rng(first)
    total = documents * per_document
    unshared = random.integers(-(2**63), 2**63 - 1, total, dtype=np.int64)
    ranks = (POOL * random.random(total) ** 2).astype(np.uint64)
    common = ranks * np.uint64(0x9E3779B97F4A7C15)
    hashes = np.where(random.random(total) < SHARED, common.view(np.int64), unshared)
    ids = np.repeat(np.arange(first, first + documents, dtype=np.int64), per_document)
    gaps = random.integers(1, 5, (documents, per_document), dtype=np.int32)
    return FingerprintRows(ids, np.cumsum(gaps, axis=1, dtype=np.int32).ravel(), hashes)


def copy_in(connection: Connection, table: str, *columns: npt.NDArray[np.integer]) -> None:
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
        copy.write(encode(columns))


def save_rows(connection: Connection, rows: FingerprintRows) -> None:
    copy_in(connection, "rows (document, position, hash)", rows.documents, rows.positions, rows.hashes)


def load_rows(connection: Connection, ids: Ids) -> int:
    """Aggregate the rows of a document in the server: COPY would send Python one message for each row."""
    query = (
        "SELECT document, string_agg(int8send(hash), ''), string_agg(int4send(position), '')"
        " FROM rows WHERE document = ANY(%s) GROUP BY document"
    )
    documents = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    return len(np.frombuffer(b"".join(row[1] for row in documents), ">i8").astype(np.int64))


def sharing_rows(connection: Connection, hashes: Ids) -> int:
    query = "SELECT document, count(DISTINCT hash) FROM rows WHERE hash = ANY(%s) GROUP BY document"
    return len(connection.execute(query, [np.unique(hashes).tolist()], binary=True).fetchall())


def save_packed(connection: Connection, rows: FingerprintRows) -> None:
    with connection.cursor().copy(
        "COPY packed (document, hashes, positions) FROM STDIN (FORMAT binary)"
    ) as copy:
        copy.set_types(["int8", "bytea", "bytea"])
        for document, low, high in spans(rows):
            copy.write_row((document, rows.hashes[low:high].tobytes(), rows.positions[low:high].tobytes()))


def spans(rows: FingerprintRows) -> list[tuple[int, int, int]]:
    """Return (document, start, end) of each document's rows."""
    ids, starts = np.unique(rows.documents, return_index=True)
    ends = np.append(starts[1:], len(rows.documents))
    return list(zip(ids.tolist(), starts.tolist(), ends.tolist(), strict=True))


def load_packed(connection: Connection, ids: Ids) -> int:
    query = "SELECT document, hashes, positions FROM packed WHERE document = ANY(%s)"
    rows = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    hashes = np.frombuffer(b"".join(row[1] for row in rows), np.int64)
    positions = np.frombuffer(b"".join(row[2] for row in rows), np.int32)
    documents = np.repeat([row[0] for row in rows], [len(row[1]) // 8 for row in rows])
    assert len(documents) == len(positions)
    return len(hashes)


def sharing_packed(connection: Connection, hashes: Ids) -> int:
    """Scan all documents, because there is no inverted index."""
    distinct = np.unique(hashes)
    count = 0
    with connection.cursor("scan", withhold=True) as cursor:
        cursor.itersize = 1000
        for _, packed in cursor.execute("SELECT document, hashes FROM packed", binary=True):
            count += bool(np.isin(np.frombuffer(packed, np.int64), distinct).any())
    return count


def save_gin(connection: Connection, rows: FingerprintRows) -> None:
    with connection.cursor().copy(
        "COPY arrays (document, hashes, positions) FROM STDIN (FORMAT binary)"
    ) as copy:
        copy.set_types(["int8", "int8[]", "bytea"])
        for document, low, high in spans(rows):
            copy.write_row((document, rows.hashes[low:high].tolist(), rows.positions[low:high].tobytes()))


def load_gin(connection: Connection, ids: Ids) -> int:
    query = "SELECT document, array_send(hashes), positions FROM arrays WHERE document = ANY(%s)"
    rows = connection.execute(query, [ids.tolist()], binary=True).fetchall()
    # The binary format of an array: a header of 20 bytes, then a length and a value for each element.
    element = np.dtype([("length", ">i4"), ("value", ">i8")])
    return sum(len(np.frombuffer(row[1], element, -1, 20)["value"].astype(np.int64)) for row in rows)


def sharing_gin(connection: Connection, hashes: Ids) -> int:
    query = (
        "SELECT document, count(DISTINCT h) FROM arrays, unnest(hashes) h"
        " WHERE hashes && %(h)s::int8[] AND h = ANY(%(h)s::int8[]) GROUP BY document"
    )
    return len(connection.execute(query, {"h": np.unique(hashes).tolist()}, binary=True).fetchall())


def save_postings(connection: Connection, rows: FingerprintRows) -> None:
    save_packed(connection, rows)
    order = np.lexsort((rows.hashes, rows.documents))
    documents, hashes = rows.documents[order], rows.hashes[order]
    is_first = np.ones(len(hashes), dtype=np.bool_)
    is_first[1:] = (hashes[1:] != hashes[:-1]) | (documents[1:] != documents[:-1])
    copy_in(connection, "postings (hash, document)", hashes[is_first], documents[is_first])


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
    StorageDesign(
        "rows, primary key, btree(hash)", ("rows",), (ROWS,),
        ("ALTER TABLE rows ADD PRIMARY KEY (document, position)", "CREATE INDEX ON rows (hash)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    StorageDesign(
        "rows, btree(document), btree(hash, document)", ("rows",), (ROWS,),
        ("CREATE INDEX ON rows (document)", "CREATE INDEX ON rows (hash, document)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    StorageDesign(
        "rows, brin(document), btree(hash, document)", ("rows",), (ROWS,),
        (BRIN, "CREATE INDEX ON rows (hash, document)"),
        save_rows, load_rows, sharing_rows, DROP_ROWS,
    ),
    StorageDesign(
        "packed, nothing inverted", ("packed",), (PACKED,), (),
        save_packed, load_packed, sharing_packed, DROP_PACKED,
    ),
    StorageDesign(
        "packed bigint[], GIN", ("arrays",),
        (ARRAYS,),
        ("CREATE INDEX ON arrays USING gin (hashes) WITH (fastupdate = off)",),
        save_gin, load_gin, sharing_gin, ("DELETE FROM arrays WHERE document = ANY(%s)",),
    ),
    StorageDesign(
        "packed, postings(hash, document)", ("packed", "postings"),
        (PACKED, "CREATE TABLE postings (hash bigint NOT NULL, document bigint NOT NULL)"),
        ("ALTER TABLE postings ADD PRIMARY KEY (hash, document)", "CREATE INDEX ON postings (document)"),
        save_postings, load_packed, sharing_postings,
        (*DROP_PACKED, "DELETE FROM postings WHERE document = ANY(%s)"),
    ),
)  # fmt: skip


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def measure(connection: Connection, design: StorageDesign, rows: FingerprintRows, each: int) -> list[str]:
    """Store fingerprints with a design and time the app's operations; return the cells of a table row.

    `each` is the number of fingerprints of a document that is added later.
    """
    for statement in design.create:
        connection.execute(statement)
    save_seconds = seconds(partial(design.save, connection, rows))
    index_seconds = seconds(lambda: [connection.execute(statement) for statement in design.index])
    connection.execute(f"VACUUM ANALYZE {', '.join(design.tables)}")
    heap, total = sizes(connection, design)
    documents = int(rows.documents[-1])
    random = np.random.default_rng(7)
    cohorts = [random.choice(documents, size, replace=False) + 1 for size in (200, 2000) if size <= documents]
    loads = [min(seconds(partial(design.load, connection, cohort)) for _ in range(3)) for cohort in cohorts]
    probes = [rows.hashes_of(int(document)) for document in random.choice(documents, 5, replace=False) + 1]
    cold = [seconds(partial(design.sharing, connection, probe)) for probe in probes]
    warm = [seconds(partial(design.sharing, connection, probe)) for probe in probes]
    new_rows = random_fingerprints(documents + 1, 200, each)
    add_seconds = seconds(lambda: design.save(connection, new_rows))
    ids = np.unique(new_rows.documents).tolist()
    drop_seconds = seconds(lambda: [connection.execute(statement, [ids]) for statement in design.drop])
    for table in design.tables:
        connection.execute(f"DROP TABLE {table}")
    count = len(rows.hashes)
    return [
        design.name, f"{count / save_seconds / 1e6:.2f}", f"{index_seconds:.1f}",
        f"{heap / count:.0f}", f"{(total - heap) / count:.0f}",
        *(f"{1e3 * load:.0f}" for load in loads),
        f"{1e3 * np.median(cold):.1f}", f"{1e3 * np.median(warm):.1f}",
        f"{1e3 * add_seconds / 200:.2f}", f"{1e3 * drop_seconds / 200:.2f}",
    ]  # fmt: skip


def sizes(connection: Connection, design: StorageDesign) -> tuple[int, int]:
    """Return the bytes of the tables with their out-of-line values, without and with the indexes."""
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
    parser.add_argument("--documents", type=int, default=20_000, help="number of documents")
    parser.add_argument("--fingerprints", type=int, default=500, help="fingerprints of each document")
    parser.add_argument("--dsn", help="database to use (default: a private server)")
    parser.add_argument("--only", default="", help="measure only designs with this text in their name")
    arguments = parser.parse_args()
    rows = random_fingerprints(1, arguments.documents, arguments.fingerprints)
    with database(arguments.dsn) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS bench_store")
        connection.execute("SET search_path TO bench_store")
        print("| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS))
        for design in (design for design in DESIGNS if arguments.only in design.name):
            cells = measure(connection, design, rows, arguments.fingerprints)
            print("| " + " | ".join(cells) + " |", flush=True)
        connection.execute("DROP SCHEMA bench_store")


if __name__ == "__main__":
    main()
