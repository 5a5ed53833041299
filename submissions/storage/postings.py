"""Look fingerprints up: which stored documents contain the hashes of one document.

See docs/decisions/018-earlier-years.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.engine import distinct_values
from submissions.storage.fingerprints import open_cursor

if TYPE_CHECKING:
    import numpy.typing as npt
    from django.db.backends.base.base import BaseDatabaseWrapper

    from fingerprint.types import Documents, Hashes
    from submissions.storage.fingerprints import Cursor

# A hash in more documents than this says nothing about two of them, and is dropped.
MAX_DOCUMENTS = 500
# One index range a hash, of which at most %(limit)s documents are read however frequent the hash is. Inside,
# DISTINCT needs no sorting, since the index is in the order of the documents.
LOOK_UP = """
    SELECT shared.documents
    FROM unnest(%(hashes)s::bigint[]) AS wanted (hash)
    CROSS JOIN LATERAL (
        SELECT string_agg(int8send(one.document_id), '') AS documents, count(*) AS frequency
        FROM (
            SELECT DISTINCT document_id FROM submissions_fingerprint
            WHERE submissions_fingerprint.hash = wanted.hash ORDER BY document_id LIMIT %(limit)s
        ) AS one
    ) AS shared
    WHERE shared.frequency BETWEEN 1 AND %(most)s
"""


class SharedRarity(NamedTuple):
    """Documents by ascending primary key, and the weight of the distinct hashes that each shares.

    A hash in f documents weighs f ** -0.5, as in the score. `documents` int64 [n], `weights` float64 [n].
    """

    documents: Documents
    weights: npt.NDArray[np.float64]


def look_up(
    connection: BaseDatabaseWrapper, hashes: Hashes, max_documents: int = MAX_DOCUMENTS
) -> SharedRarity:
    """Return the stored documents that share rare ones of `hashes`.

    Hashes in more than `max_documents` documents are dropped: at most that many rows are read for any hash.
    Documents of all profiles and of all assignments are among the result.
    """
    with open_cursor(connection) as cursor:
        return shared_rarity(cursor, hashes, max_documents)


def shared_rarity(cursor: Cursor, hashes: Hashes, max_documents: int = MAX_DOCUMENTS) -> SharedRarity:
    """Do the same with the cursor of a connection that is not Django's."""
    wanted = distinct_values(hashes).view(np.int64).tolist()
    values = {"hashes": wanted, "limit": max_documents + 1, "most": max_documents}
    rows = cursor.execute(LOOK_UP, values, binary=True).fetchall()
    postings = [np.frombuffer(packed, ">i8") for (packed,) in rows]
    counts = np.array([len(own) for own in postings], dtype=np.int64)
    weights = np.repeat(np.maximum(counts, 1) ** -0.5, counts)
    everything = np.concatenate([np.empty(0, np.int64), *postings]).astype(np.int64)
    documents, inverse = np.unique(everything, return_inverse=True)
    summed: npt.NDArray[np.float64] = np.bincount(inverse, weights, len(documents)).astype(np.float64)
    return SharedRarity(documents, summed)
