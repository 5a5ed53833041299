"""Save and load fingerprints as rows in Postgres; see docs/decisions/001-fingerprints-in-postgres.md."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from django.db import transaction

from fingerprint.engine import distinct_values
from submissions.storage.binary_copy import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import numpy.typing as npt
    from django.db.backends.base.base import BaseDatabaseWrapper

    from fingerprint.types import Documents, Hashes, Offsets

    Cursor = psycopg.Cursor[tuple[Any, ...]]

# A hash is an unsigned number in the engine, and the signed number of the same 64 bits in Postgres.
CREATE = """
CREATE TABLE submissions_fingerprint (
    document_id bigint NOT NULL REFERENCES submissions_document (id) ON DELETE CASCADE,
    hash bigint NOT NULL,
    position integer NOT NULL
);
CREATE INDEX submissions_fingerprint_document ON submissions_fingerprint (document_id);
CREATE INDEX submissions_fingerprint_hash ON submissions_fingerprint (hash, document_id);
"""
REMOVE = "DROP TABLE submissions_fingerprint"
PACKED_ROW = np.dtype([("hash", ">u8"), ("position", ">i4")])


def save(
    connection: BaseDatabaseWrapper, documents: Mapping[int, tuple[Hashes, npt.NDArray[np.integer]]]
) -> None:
    """Store all fingerprints of documents, replacing earlier ones, in one transaction.

    Parameters
    ----------
    connection : Django's database connection; an open transaction is continued
    documents : by the primary key of a stored document, its n hashes (uint64) and n token positions below
        2**31

    Raises
    ------
    ValueError
        When the arrays differ in length or a position does not fit.
    """
    if not documents:
        return
    columns = zip(*(_columns(key, *document) for key, document in documents.items()), strict=True)
    packed = encode([np.concatenate(parts) for parts in columns])
    with transaction.atomic(connection.alias), open_cursor(connection) as cursor:
        cursor.execute("DELETE FROM submissions_fingerprint WHERE document_id = ANY(%s)", [list(documents)])
        with cursor.copy(
            "COPY submissions_fingerprint (document_id, hash, position) FROM STDIN (FORMAT binary)"
        ) as copy:
            copy.write(packed)


def _columns(
    document_id: int, hashes: Hashes, positions: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.integer], ...]:
    if len(hashes) != len(positions):
        raise ValueError(f"{len(hashes)} hashes with {len(positions)} positions")
    if len(positions) and int(positions.max()) > np.iinfo(np.int32).max:
        raise ValueError(f"position {positions.max()}; the limit is {np.iinfo(np.int32).max}")
    return (
        np.full(len(hashes), document_id, dtype=np.int64),
        np.ascontiguousarray(hashes).view(np.int64),
        positions.astype(np.int32),
    )


def load(connection: BaseDatabaseWrapper, document_ids: Collection[int]) -> tuple[Hashes, Documents, Offsets]:
    """Return (hashes, document ids, positions): uint64, int64 and int32 arrays, one row per fingerprint.

    The rows of a document are adjacent, in no particular order; documents without fingerprints, and unknown
    ids, have no rows.
    """
    # One row for each document, because fetching a row for each fingerprint takes much longer.
    query = """
        SELECT document_id, string_agg(int8send(hash) || int4send(position), '')
        FROM submissions_fingerprint WHERE document_id = ANY(%s) GROUP BY document_id
    """
    with open_cursor(connection) as cursor:
        records = cursor.execute(query, [list(document_ids)], binary=True).fetchall()
    rows = np.frombuffer(b"".join(packed for _, packed in records), PACKED_ROW)
    documents = np.array([document for document, _ in records], dtype=np.int64)
    counts = [len(packed) // PACKED_ROW.itemsize for _, packed in records]
    return rows["hash"].astype(np.uint64), np.repeat(documents, counts), rows["position"].astype(np.int32)


def load_by_document(connection: BaseDatabaseWrapper, document_ids: Iterable[int]) -> dict[int, Hashes]:
    """Return the hashes of each document's fingerprints; documents without any are left out."""
    hashes, documents, _ = load(connection, sorted(document_ids))
    order = np.argsort(documents, kind="stable")
    distinct, starts = np.unique(documents[order], return_index=True)
    ends = np.append(starts[1:], len(hashes))
    parts = (hashes[order[start:end]] for start, end in zip(starts, ends, strict=False))
    return dict(zip(distinct.tolist(), parts, strict=True))


def count_shared(connection: BaseDatabaseWrapper, hashes: Hashes) -> tuple[Documents, npt.NDArray[np.int64]]:
    """Return (document ids, counts): documents that contain any of `hashes`, and how many distinct ones.

    Both are int64 arrays of one length, by ascending id. Documents of all profiles are included.
    """
    query = """
        SELECT document_id, count(DISTINCT hash)
        FROM submissions_fingerprint WHERE hash = ANY(%s) GROUP BY document_id ORDER BY document_id
    """
    wanted = distinct_values(hashes).view(np.int64).tolist()
    with open_cursor(connection) as cursor:
        records = cursor.execute(query, [wanted], binary=True).fetchall()
    columns = np.array(records, dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


@contextmanager
def open_cursor(connection: BaseDatabaseWrapper) -> Iterator[Cursor]:
    """Yield a psycopg cursor, for binary results; its errors are raised as Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
