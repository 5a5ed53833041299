"""Store which documents have a hash, as sorted runs of blocks, and merge the runs.

A run has the postings (hash, document) of some documents, sorted and cut into blocks. A run is written once,
when its documents are, and never changed: runs are merged into larger ones, so that there are few.
docs/work/decisions/02-old-work.md and docs/work/decisions/03-fingerprints.md say why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection, transaction

from fingerprint.engine import distinct_values
from submissions.models import PostingBlock, PostingRun
from submissions.rows import insert, open_cursor
from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy.typing as npt
    from django.db.backends.base.base import BaseDatabaseWrapper

    from fingerprint.kernels.types import Documents, Hashes
    from submissions.models import Job

    Numbers = npt.NDArray[np.int64]
    Postings = npt.NDArray[np.void]

# A hash as the signed number of the same 64 bits, as Postgres orders it, and the document that has it.
POSTING = np.dtype([("hash", "<i8"), ("document", "<u4")])
# A block has about so many postings, and all those of each of its hashes.
BLOCK = 64
# So many runs of about the same size are merged into one.
FAN = 4
# Runs below this number of postings are of the same size.
SMALLEST = 20_000
# A run is written anew when at most this part of its documents is left, of so many that are looked at.
MOST_LEFT, LOOKED_AT = 0.8, 1_000
# About so many postings are in memory when runs are merged.
CHUNK = 1_000_000
# Postings that are merged before old work is looked up: about a second's work.
AT_ONCE = 1_000_000


def add_run(hashes: Mapping[int, Hashes]) -> None:
    """Store the postings of new documents, given by primary key; an open transaction is continued.

    Raises
    ------
    ValueError
        When a primary key is 2**32 or more.
    """
    distinct = {document: distinct_values(values) for document, values in hashes.items()}
    counts = [len(values) for values in distinct.values()]
    if not sum(counts):
        return
    if max(distinct) >= 2**32:
        raise ValueError(f"document {max(distinct)}; the limit is {2**32 - 1}")
    postings = np.empty(sum(counts), POSTING)
    postings["hash"] = np.concatenate([*distinct.values()]).view(np.int64)
    postings["document"] = np.repeat(np.array([*distinct]), counts)
    with transaction.atomic():
        run = PostingRun.objects.create(documents=_packed([*distinct]), size=len(postings))
        _insert_blocks(run, _sorted(postings))


def merge_postings(_job: Job) -> None:
    """Merge runs of about the same size, and write those anew that lost documents."""
    merge_runs()


def merge_small() -> None:
    """Merge the runs of the last uploads, which a look-up would otherwise probe one by one."""
    merge_runs(AT_ONCE)


def merge_runs(most: int | None = None) -> None:
    """Merge runs while FAN of about the same size are there, and write those anew that lost documents.

    With `most`, only runs of together at most that many postings are merged. Nothing is done while another
    process merges runs.
    """
    merged = 0
    while _merge_once(most):
        merged += 1
    if merged and not connection.in_atomic_block:
        # The next merge takes the room that this one left, without waiting for Postgres to notice it.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM submissions_postingblock")


def _merge_once(most: int | None) -> bool:
    with transaction.atomic():
        chosen = _runs_to_merge(most) if transaction_lock(Work.POSTINGS, wait=False) else []
        if chosen:
            _merge(chosen)
        return bool(chosen)


def forget(documents: Collection[int]) -> None:
    """Write those runs anew that have postings of those of `documents` that were deleted."""
    gone = np.array(sorted(documents), dtype=np.int64)
    with transaction.atomic():
        transaction_lock(Work.POSTINGS, wait=True)
        for run in PostingRun.objects.order_by("pk"):
            if np.isin(gone, _documents(run), assume_unique=True).any():
                _merge([run])


def _runs_to_merge(most: int | None) -> list[PostingRun]:
    """Return the smallest runs of which there are too many, or else one that lost documents."""
    tiers: dict[int, list[PostingRun]] = {}
    for run in PostingRun.objects.defer("documents").order_by("size", "pk"):
        tiers.setdefault(_tier(run.size), []).append(run)
    for _, runs in sorted(tiers.items()):
        if len(runs) >= FAN and (most is None or sum(run.size for run in runs) <= most):
            return runs
    if most is not None:
        return []
    everything = (run for runs in tiers.values() for run in runs)
    return next(([run] for run in everything if _has_lost_many(run)), [])


def _has_lost_many(run: PostingRun) -> bool:
    """Return whether at most MOST_LEFT of the documents of a run are left, by evenly chosen ones of them.

    Looking at all would take as long as the archive is large, after every upload.
    """
    documents = _documents(run)
    some = documents[:: max(1, len(documents) // LOOKED_AT)]
    return len(_left(some)) <= MOST_LEFT * len(some)


def _tier(size: int) -> int:
    """Return the number of times that runs were merged, about, to get a run of this size."""
    return max(0, int(np.floor(np.log(max(size, 1) / SMALLEST) / np.log(FAN)) + 1))


def _merge(runs: Sequence[PostingRun]) -> None:
    """Replace runs by one without the postings of deleted documents."""
    left = np.concatenate([_left(_documents(run)) for run in runs])
    if len(left):
        merged = PostingRun.objects.create(documents=_packed(left), size=0)
        for postings in _chunks(runs):
            kept = postings[np.isin(postings["document"], left)]
            merged.size += len(kept)
            _insert_blocks(merged, kept)
        merged.save()
    PostingRun.objects.filter(pk__in=[run.pk for run in runs]).delete()


def _chunks(runs: Sequence[PostingRun]) -> Iterator[Postings]:
    """Yield the postings of all runs in order, a hash whole, about CHUNK of them at once."""
    parts = max(1, sum(run.size for run in runs) // CHUNK)
    bounds = [-(2**63) + number * 2**64 // parts for number in range(1, parts)]
    rest = np.empty(0, POSTING)
    for low, high in zip([None, *bounds], [*bounds, None], strict=True):
        blocks = PostingBlock.objects.filter(run__in=[run.pk for run in runs])
        blocks = blocks.filter(first__gte=low) if low is not None else blocks
        blocks = blocks.filter(first__lt=high) if high is not None else blocks
        packed = b"".join(bytes(block) for block in blocks.values_list("packed", flat=True).iterator())
        postings = _sorted(np.concatenate([rest, np.frombuffer(packed, POSTING)]))
        after = len(postings) if high is None else int(np.searchsorted(postings["hash"], high))
        yield postings[:after]
        rest = postings[after:]


def _insert_blocks(run: PostingRun, postings: Postings) -> None:
    """Store sorted postings as blocks of a run."""
    if not len(postings):
        return
    starts, frequencies = _starts(postings["hash"])
    ends = np.append(starts[1:], len(postings))
    columns = {
        "run_id": [run.pk] * len(starts),
        "first": postings["hash"][starts].tolist(),
        "last": postings["hash"][ends - 1].tolist(),
        "frequency": frequencies.tolist(),
        "packed": [postings[start:end].tobytes() for start, end in zip(starts, ends, strict=True)],
    }
    insert(connection, PostingBlock, columns)


def _starts(hashes: Numbers) -> tuple[Numbers, Numbers]:
    """Return where blocks of sorted hashes start, and in how many documents their commonest hash is.

    All of a hash is in one block; one with more postings than BLOCK has a block of its own.
    """
    group_starts = np.append(0, 1 + np.flatnonzero(hashes[1:] != hashes[:-1]))
    sizes = np.diff(group_starts, append=len(hashes))
    large = sizes > BLOCK
    groups = np.searchsorted(group_starts, np.arange(0, len(hashes), BLOCK), side="right") - 1
    cuts = np.concatenate([group_starts[groups], group_starts[large], (group_starts + sizes)[large]])
    starts = np.unique(cuts[cuts < len(hashes)])
    frequencies = np.maximum.reduceat(sizes, np.searchsorted(group_starts, starts))
    return starts.astype(np.int64), frequencies.astype(np.int64)


def _sorted(postings: Postings) -> Postings:
    return postings[np.lexsort((postings["document"], postings["hash"]))]


def _packed(documents: Sequence[int] | Numbers) -> bytes:
    return np.sort(np.asarray(documents, dtype="<i8")).tobytes()


def _documents(run: PostingRun) -> Numbers:
    return np.frombuffer(bytes(run.documents), "<i8").astype(np.int64)


def _left(documents: Numbers) -> Numbers:
    """Return those of the documents that were not deleted."""
    query = "SELECT id FROM submissions_document WHERE id = ANY(%s)"
    with open_cursor(connection) as cursor:
        rows = cursor.execute(query, [documents.tolist()], binary=True).fetchall()
    return np.array([pk for (pk,) in rows], dtype=np.int64)


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
    matching = postings[postings["hash"] == sought]
    return _rarity(matching[~np.isin(matching["hash"], too_many)], max_documents)


def _rarity(postings: npt.NDArray[np.void], max_documents: int) -> SharedRarity:
    """Add up the weights of those hashes that are in at most `max_documents` documents."""
    _, hashes, frequencies = np.unique(postings["hash"], return_inverse=True, return_counts=True)
    rare = frequencies[hashes] <= max_documents
    weights = frequencies[hashes[rare]] ** -0.5
    documents, inverse = np.unique(postings["document"][rare].astype(np.int64), return_inverse=True)
    summed: npt.NDArray[np.float64] = np.bincount(inverse, weights, len(documents)).astype(np.float64)
    return SharedRarity(documents, summed)
