"""Fingerprints in and out of Postgres; why as rows: docs/decisions/001-fingerprints-in-postgres.md."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from django.db import transaction

from submissions.storage.binary_copy import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy.typing as npt
    from django.db.backends.base.base import BaseDatabaseWrapper

    Hashes = npt.NDArray[np.uint64]
    Ids = npt.NDArray[np.int64]
    Positions = npt.NDArray[np.int32]
    Cursor = psycopg.Cursor[tuple[Any, ...]]

# A hash is an unsigned number to the engine and the signed one of the same 64 bits to Postgres.
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
PACKED = np.dtype([("hash", ">u8"), ("position", ">i4")])


def save(
    connection: BaseDatabaseWrapper, document_id: int, hashes: Hashes, positions: npt.NDArray[np.integer]
) -> None:
    """Store a document's fingerprints, all or none, in place of those it had.

    Parameters
    ----------
    connection : Django's; an open transaction goes on, else one is made
    document_id : primary key of a stored document
    hashes : uint64 array of n hashes
    positions : array of n token positions below 2**31

    Raises
    ------
    ValueError
        When the arrays differ in length or a position does not fit.
    """
    if len(hashes) != len(positions):
        raise ValueError(f"{len(hashes)} hashes with {len(positions)} positions")
    if len(positions) and int(positions.max()) > np.iinfo(np.int32).max:
        raise ValueError(f"position {positions.max()}; the limit is {np.iinfo(np.int32).max}")
    columns = (
        np.full(len(hashes), document_id, dtype=np.int64),
        np.ascontiguousarray(hashes).view(np.int64),
        positions.astype(np.int32),
    )
    with transaction.atomic(connection.alias), _cursor(connection) as cursor:
        cursor.execute("DELETE FROM submissions_fingerprint WHERE document_id = %s", [document_id])
        with cursor.copy(
            "COPY submissions_fingerprint (document_id, hash, position) FROM STDIN (FORMAT binary)"
        ) as copy:
            copy.write(encode(columns))


def load(connection: BaseDatabaseWrapper, document_ids: Collection[int]) -> tuple[Hashes, Ids, Positions]:
    """Give (hashes, documents, positions) of documents: uint64, int64 and int32 arrays of one length.

    The rows of a document stand together, in no particular order; documents without fingerprints, or
    unknown ones, have none.
    """
    # Joined on the server, since a row fetched costs more than the twelve bytes in it.
    query = """
        SELECT document_id, string_agg(int8send(hash) || int4send(position), '')
        FROM submissions_fingerprint WHERE document_id = ANY(%s) GROUP BY document_id
    """
    with _cursor(connection) as cursor:
        found = cursor.execute(query, [list(document_ids)], binary=True).fetchall()
    rows = np.frombuffer(b"".join(packed for _, packed in found), PACKED)
    documents = np.array([document for document, _ in found], dtype=np.int64)
    counts = [len(packed) // PACKED.itemsize for _, packed in found]
    return rows["hash"].astype(np.uint64), np.repeat(documents, counts), rows["position"].astype(np.int32)


def sharing(connection: BaseDatabaseWrapper, hashes: Hashes) -> tuple[Ids, Ids]:
    """Give every stored document that holds one of `hashes`, ascending, and how many distinct ones it holds.

    The caller keeps those of the profile that `hashes` were made with.
    """
    query = """
        SELECT document_id, count(DISTINCT hash)
        FROM submissions_fingerprint WHERE hash = ANY(%s) GROUP BY document_id ORDER BY document_id
    """
    wanted = np.unique(hashes).view(np.int64).tolist()
    with _cursor(connection) as cursor:
        found = cursor.execute(query, [wanted], binary=True).fetchall()
    columns = np.array(found, dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


@contextmanager
def _cursor(connection: BaseDatabaseWrapper) -> Iterator[Cursor]:
    """Psycopg's own cursor, for binary results, with errors as Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
