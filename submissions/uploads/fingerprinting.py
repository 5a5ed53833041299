"""Fingerprint each document once, however often it is handed in, and delete documents that nobody needs.

Which documents have a hash is stored as sorted runs of blocks, which are merged.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Count, F, Q, Sum

from fingerprint.engine import Params, Reading, Unreadable, distinct_values
from fingerprint.kernels.types import Documents, Hashes
from submissions.core.database import insert, is_database_away, is_no_room, open_cursor, update
from submissions.intake import sentences as reasons
from submissions.intake.packed_readings import PackedReading, together_then_alone
from submissions.intake.sandbox.process import NotStarted
from submissions.matches.line_marks import packed_marks
from submissions.models import Batch, Boilerplate, Document, Job, PostingBlock, PostingRun, Source, SubmissionFile
from submissions.uploads.read import document_reader
from submissions.uploads.stored_documents import document_text, pack_fingerprints
from submissions.work.locks import Work, transaction_lock, work_locks

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    Numbers = npt.NDArray[np.int64]
    Postings = npt.NDArray[np.void]
    # Columns of documents besides those of their readings, by name: the values by primary key.
    Beside = Mapping[str, Mapping[int, object]]

logger = logging.getLogger(__name__)

PARAMS = Params()
# A source that ended its worker process this often is not tried again.
MAX_ATTEMPTS = 3
# Documents are read and stored in groups: up to so many, so many bytes of source, and so many seconds.
GROUP_DOCUMENTS, GROUP_BYTES, GROUP_SECONDS = 64, 500_000, 1.0
# Processor seconds that reading the files of one student may take, and more for each file and so many bytes:
# several times what ordinary files take. What is left then is not read: it would keep all others waiting.
STUDENT_SECONDS, SECONDS_A_FILE, BYTES_A_SECOND = 20.0, 0.01, 200_000
# Documents of a group in one language are lexed together: up to so many, and so many bytes. Where that takes
# longer than so many seconds, each is read alone.
BATCH_DOCUMENTS, BATCH_BYTES, BATCH_SECONDS = 32, 150_000, 2.0

# The columns of a document that have the parts of a packed reading of these names.
READING_COLUMNS = ("read_share", "tokens", "lexical", "coarse", "words", "spelling", "styles")

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


def fingerprint_pending(document_ids: Sequence[int]) -> None:
    for _ in fingerprint_groups(document_ids):
        pass


def fingerprint_groups(
    document_ids: Sequence[int], most: int = GROUP_DOCUMENTS, *, coarse: bool = False
) -> Iterator[int]:
    """Fingerprint the given documents that are pending; after each group, yield how many ids are done.

    A group has at most `most` documents. With `coarse` they get their coarse streams.

    It is safe to run twice, also concurrently: a document is stored with all of its tokens and fingerprints,
    or not at all. A file that cannot be read, or that ended its worker process MAX_ATTEMPTS times, is marked
    as failed with the reason. No document is locked while this waits to be continued.
    """
    done = 0
    while done < len(document_ids):
        group = document_ids[done : done + _group_size(document_ids[done : done + most])]
        with work_locks(Work.DOCUMENT, group) as mine:
            left = _fingerprint_group(mine, coarse=coarse)
        done += group.index(left[0]) if left else len(group)
        yield done


def _group_size(document_ids: Sequence[int]) -> int:
    """Return how many of the first documents are read together.

    A document whose reading was begun before is read alone: if its worker ends, no other document is blamed.
    """
    pending = Document.objects.filter(pk__in=document_ids, state=Document.State.PENDING)
    known = {pk: row for pk, *row in pending.values_list("pk", "attempts", "source__size")}
    total = 0
    for number, pk in enumerate(document_ids):
        attempts, size = known.get(pk, (0, 0))
        total += size
        if number and (attempts or total > GROUP_BYTES):
            return number
        if attempts:
            return 1
    return len(document_ids)


def _fingerprint_group(document_ids: list[int], *, coarse: bool) -> list[int]:
    """Fingerprint documents for about GROUP_SECONDS; return the documents that are left."""
    rows = Document.objects.filter(state=Document.State.PENDING).select_related("source")
    pending = rows.in_bulk(document_ids)
    over = _refuse_over_budget(list(pending))
    left = [pending[pk] for pk in document_ids if pk in pending and pk not in over]
    documents = [document for document in left if _may_be_tried(document)]
    if not documents:
        return []
    document_reader().start().wait_until_ready()  # If it does not start, no attempt is counted.
    keys = [document.pk for document in documents]
    Document.objects.filter(pk__in=keys).update(attempts=F("attempts") + 1)
    readings: dict[int, Reading] = {}
    seconds: dict[int, float] = defaultdict(float)
    lines: dict[int, bytes] = {}
    done = 0
    read = partial(_read, seconds, coarse=coarse)
    for document, result in together_then_alone(documents, read, _batch_size, GROUP_SECONDS):
        done += 1
        if isinstance(result, Unreadable):
            _fail([document.pk], str(result), seconds[document.pk])
        else:
            readings[document.pk] = result
            lines[document.pk] = packed_marks(document_text(document), result.tokens)
    _save_or_wait(readings, {"seconds": seconds, "lines": lines}, keys[done:])
    return keys[done:]


def _refuse_over_budget(document_ids: Sequence[int]) -> set[int]:
    """Mark as failed those pending documents that only students over their budget need; return them."""
    within: set[int] = set()
    spent: set[tuple[int, int]] = set()
    for column in ("document", "next_document"):
        files = SubmissionFile.objects.filter(**{f"{column}__in": document_ids}).order_by()
        needed = set(files.values_list(column, "submission"))
        students = _over_budget({student for _, student in needed}, column)
        spent |= {row for row in needed if row[1] in students}
        within |= {document for document, student in needed if student not in students}
    over = {document for document, _ in spent} - within
    if over and (over := over - _boilerplate(over)):
        _fail(over, reasons.READING_SECONDS.format(n=f"{STUDENT_SECONDS:g}"))
        refused = {student for document, student in spent if document in over}
        Batch.objects.filter(submissions__in=refused).update(incomplete=True)
    return over


def _boilerplate(document_ids: Collection[int]) -> set[int]:
    """Return the documents that are boilerplate, or will be once it is read again."""
    is_document, is_next = Q(document__in=document_ids), Q(next_document__in=document_ids)
    rows = Boilerplate.objects.filter(is_document | is_next).values_list("document", "next_document")
    return {pk for row in rows for pk in row if pk is not None}


def _over_budget(submissions: Collection[int], column: str) -> set[int]:
    """Return the submissions whose files took more processor seconds to read than one student has."""
    if not submissions:
        return set()
    files = SubmissionFile.objects.filter(submission__in=submissions).order_by().values_list("submission")
    sums = files.annotate(Sum(f"{column}__seconds"), Count(column), Sum("source__size"))
    return {
        student
        for student, seconds, count, size in sums
        if seconds and seconds > STUDENT_SECONDS + count * SECONDS_A_FILE + size / BYTES_A_SECOND
    }


def _batch_size(documents: Sequence[Document]) -> int:
    """Return how many of the first documents are read together: at least one."""
    first = documents[:BATCH_DOCUMENTS]
    sizes = accumulate(document.source.size for document in first)
    fits = [
        size <= BATCH_BYTES and document.language == documents[0].language
        for document, size in zip(first, sizes, strict=True)
    ]
    return max(1, [*fits, False].index(False))


def _may_be_tried(document: Document) -> bool:
    if document.attempts < MAX_ATTEMPTS:
        return True
    _fail([document.pk], f"reading it ended the worker process {MAX_ATTEMPTS} times")
    return False


def _read(spent: dict[int, float], documents: Sequence[Document], *, coarse: bool) -> list[Reading | Unreadable]:
    """Read documents of one language together; note in `spent` how many seconds each took."""
    reader, size = document_reader(), sum(document.source.size for document in documents)
    before, limit = reader.seconds, settings.FILE_SECONDS
    if len(documents) > 1:
        limit = min(limit, BATCH_SECONDS)
    try:
        with _errors_as_unreadable(f"documents {[document.pk for document in documents]}"):
            files = [bytes(document.source.data) for document in documents]
            return reader.read_together(files, documents[0].language, limit, coarse=coarse)
    finally:
        took = reader.seconds - before
        spent |= {document.pk: took * document.source.size / max(1, size) for document in documents}


@contextmanager
def _errors_as_unreadable(name: str) -> Iterator[None]:
    """Raise Unreadable for any error in the body, which reads files; `name` is for the log.

    The end of a worker's memory or time is not caused by the file, nor is a reader that does not start, so
    those errors are not changed.
    """
    try:
        yield
    except (Unreadable, NotStarted, SoftTimeLimitExceeded, MemoryError):
        raise
    except Exception as error:
        logger.exception("%s cannot be read", name)
        raise Unreadable.by_error(type(error).__name__) from error


def _save_or_wait(readings: dict[int, Reading], beside: Beside, unread: list[int]) -> None:
    """Store readings; count no attempt of unread files, or of failures that are no fault of the files."""
    if unread:
        _take_back_attempts(unread)
    try:
        _save(readings, beside)
    except Exception as error:
        if is_no_room(error):
            _take_back_attempts(readings)
        elif is_database_away(error):
            with suppress(OperationalError):  # It is still away: the attempts count.
                connection.close_if_unusable_or_obsolete()
                _take_back_attempts(readings)
        raise


def _take_back_attempts(document_ids: Iterable[int]) -> None:
    Document.objects.filter(pk__in=list(document_ids)).update(attempts=F("attempts") - 1)


def _save(readings: dict[int, Reading], beside: Beside) -> None:
    """Store the tokens and fingerprints of those documents that are still pending."""
    from fingerprint.engine import fingerprint  # noqa: PLC0415 - the engine, in workers only

    with transaction.atomic():
        locked = Document.objects.select_for_update().filter(pk__in=readings, state=Document.State.PENDING)
        pending = list(locked.order_by("pk").values_list("pk", flat=True))
        selected = {pk: fingerprint(readings[pk].tokens.kinds, PARAMS) for pk in pending}
        packed = [_columns(readings[pk], pack_fingerprints(*selected[pk])) for pk in pending]
        columns = {name: [row[name] for row in packed] for name in packed[0]} if packed else {}
        columns |= {name: [column[pk] for pk in pending] for name, column in beside.items()}
        update(connection, Document, pending, columns)
        add_run({pk: hashes for pk, (hashes, _) in selected.items()})


def _columns(reading: Reading, fingerprints: bytes) -> dict[str, object]:
    packed = PackedReading.of(reading)
    return {
        "state": Document.State.READY,
        "token_count": len(reading.tokens),
        "disguised": reading.disguised,
        "unclosed_line": min(reading.unclosed, default=None),
        "fingerprints": fingerprints,
        **{name: getattr(packed, name) for name in READING_COLUMNS},
    }


def _fail(documents: Collection[int], reason: str, seconds: float = 0.0) -> None:
    pending = Document.objects.filter(pk__in=documents, state=Document.State.PENDING)
    pending.update(state=Document.State.FAILED, reason=reason, seconds=seconds)


def delete_unused(documents: Iterable[int]) -> dict[str, int]:
    """Delete those `documents`, with their sources, that no submission and no boilerplate refers to.

    Return how many rows went, by the label of their table.
    """
    unused = Document.objects.filter(
        pk__in=list(documents), files=None, boilerplate=None, next_files=None, next_boilerplate=None
    )
    with transaction.atomic():
        keys = list(unused.values_list("pk", flat=True))
        sources = list(unused.values_list("source_id", flat=True))
        _, by_table = Document.objects.filter(pk__in=keys).delete()
        return by_table | delete_unused_sources(sources)


def delete_unused_sources(sources: Iterable[int]) -> dict[str, int]:
    """Delete those `sources` that have no document and that nothing refers to; return how many, by table."""
    unused = Source.objects.filter(documents=None, files=None, boilerplate=None, listed_entries=None)
    return unused.filter(pk__in=list(sources)).delete()[1]


def delete_unreferenced(before: datetime) -> None:
    """Delete sources from before `before` that no file or boilerplate refers to, with their documents."""
    sources = Source.objects.filter(created__lt=before, files=None, boilerplate=None, listed_entries=None)
    keys = list(sources.values_list("pk", flat=True))
    with transaction.atomic():
        Document.objects.filter(source__in=keys).delete()
        Source.objects.filter(pk__in=keys).delete()


def add_run(hashes: Mapping[int, Hashes]) -> None:
    """Store the postings of new documents, given by primary key; an open transaction is continued.

    Raises ValueError when a primary key is 2**32 or more.
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
    """Rewrite the runs that have postings of `documents`, without the postings of deleted documents."""
    gone = np.array(sorted(documents), dtype=np.int64)
    with transaction.atomic():
        transaction_lock(Work.POSTINGS, wait=True)
        for run in PostingRun.objects.order_by("pk"):
            if np.isin(gone, _documents(run), assume_unique=True).any():
                _merge([run])


def _runs_to_merge(most: int | None) -> list[PostingRun]:
    """Return the runs of the smallest tier that has FAN runs, or else a run that lost many documents."""
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
    query = "SELECT id FROM submissions_document WHERE id = ANY(%s)"
    with open_cursor(connection) as cursor:
        rows = cursor.execute(query, [documents.tolist()], binary=True).fetchall()
    return np.array([pk for (pk,) in rows], dtype=np.int64)


class SharedRarity(NamedTuple):
    """Documents by ascending primary key, and the weight of the distinct hashes that each shares.

    A hash in f documents weighs f ** -0.5, as in the score. `documents` int64 [n], `weights` float64 [n].
    """

    documents: Documents
    weights: npt.NDArray[np.float64]


def look_up(connection: BaseDatabaseWrapper, hashes: Hashes, max_documents: int = MAX_DOCUMENTS) -> SharedRarity:
    """Return the stored documents that share rare hashes of `hashes`.

    Hashes in more than `max_documents` documents are dropped. The result has documents of all profiles and
    all assignments, and documents that were deleted after their run was written.
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
