"""Look fingerprints up: which stored documents contain the hashes of one document.

See docs/work/decisions/02-old-work.md and docs/work/decisions/03-fingerprints.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.engine import distinct_values
from submissions.rows import open_cursor
from submissions.storage.posting_runs import POSTING

if TYPE_CHECKING:
    import numpy.typing as npt
    from django.db.backends.base.base import BaseDatabaseWrapper

    from fingerprint.types import Documents, Hashes

# A hash in more documents than this says nothing about two of them, and is dropped.
MAX_DOCUMENTS = 500
# Of each run, one probe of the index for each hash. Of a hash that has a block of its own and is in too many
# documents, the block is not read, so the bytes that are read have a limit however frequent a hash is.
LOOK_UP = """
    SELECT wanted.hash,
        CASE WHEN block.first < block.last OR block.frequency <= %(most)s THEN block.packed END
    FROM unnest(%(hashes)s::bigint[]) AS wanted (hash)
    CROSS JOIN submissions_postingrun AS run
    CROSS JOIN LATERAL (
        SELECT first, last, frequency, packed FROM submissions_postingblock
        WHERE run_id = run.id AND first <= wanted.hash ORDER BY first DESC LIMIT 1
    ) AS block
    WHERE block.last >= wanted.hash
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

    Hashes in more than `max_documents` documents are dropped. Documents of all profiles and of all
    assignments are among the result, and those that were deleted since their run was written.
    """
    wanted = np.sort(distinct_values(hashes).view(np.int64))
    values = {"hashes": wanted.tolist(), "most": max_documents}
    with open_cursor(connection) as cursor:
        rows = cursor.execute(LOOK_UP, values, binary=True).fetchall()
    too_many = np.array([value for value, packed in rows if packed is None], dtype=np.int64)
    blocks = [(value, packed) for value, packed in rows if packed is not None]
    postings = np.frombuffer(b"".join(packed for _, packed in blocks), POSTING)
    counts = [len(packed) // POSTING.itemsize for _, packed in blocks]
    sought = np.repeat(np.array([value for value, _ in blocks], dtype=np.int64), counts)
    found = postings[postings["hash"] == sought]
    return _rarity(found[~np.isin(found["hash"], too_many)], max_documents)


def _rarity(postings: npt.NDArray[np.void], max_documents: int) -> SharedRarity:
    """Add up the weights of those hashes that are in at most `max_documents` documents."""
    _, hashes, frequencies = np.unique(postings["hash"], return_inverse=True, return_counts=True)
    rare = frequencies[hashes] <= max_documents
    weights = frequencies[hashes[rare]] ** -0.5
    documents, inverse = np.unique(postings["document"][rare].astype(np.int64), return_inverse=True)
    summed: npt.NDArray[np.float64] = np.bincount(inverse, weights, len(documents)).astype(np.float64)
    return SharedRarity(documents, summed)
