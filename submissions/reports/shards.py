"""Prepare a ranking without a lock, and cut the pairs of a large one into shards.

Any worker computes shards, in any order and perhaps twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum
from django.utils import timezone

from fingerprint import engine
from submissions.matches.ranked_pairs import AlignedPairs, aligned_rows, are_exchanged, by_name, count_same_files
from submissions.models import Assignment, Batch, Document, RankingPlan, RankingShard, Report, SubmissionFile
from submissions.reports import progress
from submissions.reports.cohort import (
    CohortChanged,
    Kept,
    LoadedCohort,
    Selection,
    check_memory,
    cohort_boilerplate,
    cohort_submissions,
    keep,
    load_cohort,
    make_room,
    planned,
    select_cohort,
    token_count,
)
from submissions.reports.models import pack_passages, with_other_files
from submissions.uploads import lifecycle
from submissions.uploads.rereading import read_coarse_stream, without_coarse_stream
from submissions.work.heartbeats import package_version

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import CandidatePairs, Cohort, PairPassages, Ranking, ScoringJob
    from fingerprint.kernels.types import Floats, Rows

    Sides = npt.NDArray[np.int32]

# How pairs and lengths, scores, and their counts are stored.
NUMBERS, FLOATS, WHOLE = np.dtype("<i4"), np.dtype("<f8"), np.dtype("<i8")
WHOLE_COLUMNS = frozenset({"tokens", "longest", "lines"})

logger = logging.getLogger(__name__)

# Processor seconds of a pair, of each token of both sides, and of each fingerprint that both share. In
# classes of 5,000 programs and of 25 with 60 files each, the estimate is 1 to 1.6 times what was measured.
PAIR_SECONDS, TOKEN_SECONDS, SHARED_SECONDS = 6e-6, 6e-9, 8e-7
# What is cut has at least about so many shards: several workers end with their last ones at about one time.
LEAST_SHARDS = 16
SCORES, PASSAGES = RankingShard.Kind.SCORES, RankingShard.Kind.PASSAGES


class Prepared(NamedTuple):
    """A ranking that is ready to be scored.

    `batches` are the uploads that are done with it, `selection` is what the cohort consists of, and `jobs`
    has the candidate pairs.
    """

    batches: list[int]
    selection: Selection
    cohort: LoadedCohort
    jobs: list[ScoringJob]


def prepare(report: Report) -> Prepared:
    """Load the cohort of a report's assignment as it is now, and find the candidate pairs.

    Raises Cancelled when a user cancelled the ranking. Raises TakesLong when the report is in the interactive
    queue and takes too long for it. Raises ClassTooLarge when it takes more memory than a worker may use.
    """
    keys = without_coarse_stream(report.assignment_id)
    for pk in progress.track(report.pk, "Reading for the comparison across languages", keys, len(keys)):
        read_coarse_stream(pk)
    progress.publish(report.pk, "Loading tokens and fingerprints")
    batches = ranked_batches(report.assignment_id)
    selection = select_cohort(report.assignment)
    tokens = token_count(selection)
    check_memory(tokens)
    make_room(tokens)
    cohort = load_cohort(report.assignment, selection)
    return Prepared(batches, selection, cohort, engine.scoring_jobs(cohort.inputs))


def ranked_batches(assignment_id: int) -> list[int]:
    """Return the uploads that are done with a ranking that starts now, including superseded ones."""
    read = Batch.objects.filter(assignment=assignment_id, state__in=Batch.FULLY_READ)
    return list(read.exclude(state=Batch.State.DONE, message="").values_list("pk", flat=True))


def is_current(assignment: Assignment, prepared: Prepared) -> bool:
    """Return whether an assignment still has the submissions, files and boilerplate that were prepared."""
    selection = prepared.selection
    return (
        list(cohort_submissions(assignment).values_list("pk", flat=True)) == [one.pk for one in selection.submissions]
        and cohort_boilerplate(assignment) == selection.boilerplate
        and assignment.common_limit == selection.common_limit
        and has_files(prepared.cohort)
    )


def has_files(cohort: LoadedCohort) -> bool:
    """Return whether the submissions of a cohort have the files that were loaded, with their documents."""
    ready = SubmissionFile.objects.filter(
        submission__in=[one.pk for one in cohort.submissions], document__state=Document.State.READY
    )
    stored = set(ready.values_list("pk", "document_id"))
    return stored == {(file.pk, file.document_id) for file in cohort.files}


class ListedPairs(NamedTuple):
    """Some pairs of a ranking and the packed passages of each.

    On the left of the passages is the submission whose name sorts first; that of the ranking may be another.
    """

    ranking: Ranking
    passages: list[bytes]


def packed_passages(cohort: LoadedCohort, pairs: CandidatePairs, passages: PairPassages) -> list[bytes]:
    """Return the packed passages of pairs of a cohort, as `ListedPairs` has them."""
    exchanged = np.repeat(are_exchanged(pairs, cohort.name_ranks), np.diff(passages.starts))
    rows = np.where(exchanged[:, None], engine.exchange_sides(passages.rows), passages.rows)
    return pack_passages(rows, passages.starts, cohort.file_keys)


def pack_aligned(cohort: LoadedCohort, aligned: Iterable[AlignedPairs]) -> Iterator[ListedPairs]:
    """Yield aligned pairs with their passages packed."""
    for ranking, passages in aligned:
        yield ListedPairs(ranking, packed_passages(cohort, ranking.pairs, passages))


def with_copies(cohort: LoadedCohort, copied: LoadedCohort, listed: ListedPairs) -> ListedPairs:
    """Return pairs of a cohort with the files of `copied`, which has copies of old submissions."""
    pairs = listed.ranking.pairs
    changed = np.array([old.pk != new.pk for old, new in zip(cohort.submissions, copied.submissions, strict=True)])
    rows = np.flatnonzero(changed[pairs.left] | changed[pairs.right])
    if not len(rows):
        return listed
    files = {old.pk: new.pk for old, new in zip(cohort.files, copied.files, strict=True)}
    exchange = are_exchanged(pairs, cohort.name_ranks) != are_exchanged(pairs, copied.name_ranks)
    passages = list(listed.passages)
    for row in rows.tolist():
        passages[row] = with_other_files(passages[row], files, exchange=bool(exchange[row]))
    return listed._replace(passages=passages)


def pair_columns(report: Report, cohort: LoadedCohort, listed: ListedPairs) -> dict[str, Any]:
    """Return the columns of pairs, with the submission on the left whose name sorts first."""
    ranking, _ = by_name(listed.ranking, cohort.name_ranks)
    sides = list(zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True))
    return ranking.scores._asdict() | {
        "report_id": report.pk,
        "left_id": cohort.submission_keys[ranking.pairs.left],
        "right_id": cohort.submission_keys[ranking.pairs.right],
        "translated": ranking.translated,
        "passages": listed.passages,
        "same_student": [cohort.is_same_student(*pair) for pair in sides],
        "with_model": [cohort.has_model(*pair) for pair in sides],
        "same_files": count_same_files(cohort.shared_sources, sides),
    }


class _Part(NamedTuple):
    """Pairs of one shard: those of a job to be scored, or pairs to be aligned."""

    job: int
    sides: Sides


def cut(report: Report, prepared: Prepared) -> RankingPlan | None:
    """Store a plan of the report with its shards if its pairs take long to score; return None otherwise.

    Raises Cancelled when the report is not ranked any more. Raises ClassTooLarge when its pairs take more
    memory than a worker may use.
    """
    cohort, jobs = prepared.cohort, prepared.jobs
    rankings = 1 + cohort.is_ranked_twice
    check_memory(cohort.token_count, rankings * sum(len(job.pairs.left) for job in jobs))
    if not _takes_long(jobs, rankings):
        return None
    more = engine.scoring_jobs(cohort.without_exclusions()) if cohort.is_ranked_twice else []
    plan = _store_plan(report, prepared, jobs + more)
    keep(Kept(plan.pk, cohort, jobs[0].pairs))
    return plan


def _store_plan(report: Report, prepared: Prepared, jobs: list[ScoringJob]) -> RankingPlan:
    seconds = [_job_seconds(job) for job in jobs]
    most = _most_seconds(seconds)
    parts = [
        _Part(number, sides)
        for number, (job, cost) in enumerate(zip(jobs, seconds, strict=True))
        for sides in _parts(np.stack((job.pairs.left, job.pairs.right)), cost, most)
    ]
    digest = prepared.cohort.inputs.digest()
    with transaction.atomic():
        lifecycle.lock_assignment(report.assignment_id, wait=True)
        running = Report.objects.filter(pk=report.pk, state=Report.State.RUNNING)
        if not running.update(touched=timezone.now()):
            raise progress.Cancelled
        RankingPlan.objects.filter(report=report).delete()
        plan = RankingPlan.objects.create(
            report=report,
            selection=prepared.selection.to_json(),
            digest=digest,
            version=package_version(),
            batches=prepared.batches,
            submissions=prepared.cohort.class_size,
            pairs=sum(map(len, seconds)),
        )
        count = _store_shards(plan, SCORES, parts)
    logger.info("report %s: %s pairs in %s shards", report.pk, plan.pairs, count)
    return plan


def cut_listed(plan: RankingPlan, listed: Ranking) -> int:
    """Store the shards that align the listed pairs; return their number. Raises Cancelled without a plan."""
    seconds = _seconds(planned(plan).cohort.inputs.cohort, listed.pairs)
    columns = np.stack((listed.pairs.left, listed.pairs.right, *listed.units.T))
    parts = [_Part(0, sides) for sides in _parts(columns, seconds, _most_seconds([seconds]))]
    with transaction.atomic():
        if not RankingPlan.objects.select_for_update().filter(pk=plan.pk).exists():
            raise progress.Cancelled
        count = _store_shards(plan, PASSAGES, parts)
    logger.info("report %s: %s listed pairs in %s shards", plan.report_id, len(seconds), count)
    return count


def _store_shards(plan: RankingPlan, kind: RankingShard.Kind, parts: Iterable[_Part]) -> int:
    last = plan.shards.aggregate(last=Max("number"))["last"]
    rows = (
        RankingShard(plan=plan, kind=kind, number=number, job=job, pairs=sides.shape[1], sides=sides.tobytes())
        for number, (job, sides) in enumerate(parts, 0 if last is None else last + 1)
    )
    return len(RankingShard.objects.bulk_create(rows, batch_size=20))


def _takes_long(jobs: list[ScoringJob], rankings: int) -> bool:
    """Return whether a ranking in one piece takes long: it scores only pairs that may be in the report."""
    seconds, most = [_job_seconds(job) for job in jobs], settings.SHARD_SECONDS / rankings
    if sum(column.sum() for column in seconds) > most:
        seconds[0] = seconds[0][engine.worth_scoring(*jobs[0])]
    return bool(sum(column.sum() for column in seconds) > most)


def _job_seconds(job: ScoringJob) -> Floats:
    return _seconds(job.cohort, job.pairs)


def _seconds(cohort: Cohort, pairs: CandidatePairs) -> Floats:
    """Return the estimated processor seconds of scoring each pair; aligning one takes about as long."""
    sizes = np.diff(cohort.submission_starts)
    tokens, shared = sizes[pairs.left] + sizes[pairs.right], pairs.shared.astype(np.float64)
    seconds: Floats = tokens * TOKEN_SECONDS + shared * SHARED_SECONDS + PAIR_SECONDS
    return seconds


def _most_seconds(seconds: Iterable[Floats]) -> float:
    return min(float(settings.SHARD_SECONDS), sum(float(column.sum()) for column in seconds) / LEAST_SHARDS)


def _parts(columns: Rows, seconds: Floats, most: float) -> Iterator[Sides]:
    """Yield the columns of pairs in parts of at most `most` seconds, or of one pair."""
    ends, start = seconds.cumsum(), 0
    while start < len(ends):
        before = ends[start - 1] if start else 0.0
        end = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield np.ascontiguousarray(columns[:, start:end].astype(NUMBERS))
        start = end


def compute(shard: RankingShard) -> None:
    """Score or align the pairs of a shard and store the result, unless another worker did meanwhile.

    Raises Cancelled when its report is no longer ranked by its plan. Raises CohortChanged when what the plan
    selected was changed.
    """
    check = plan_check(shard.plan_id)
    try:
        kept = planned(shard.plan)
    except CohortChanged:
        check()  # The report may follow a newer plan meanwhile, of what was changed.
        raise
    sides = np.frombuffer(bytes(shard.sides), dtype=NUMBERS).reshape(-1, shard.pairs).astype(np.int32)
    pairs = engine.CandidatePairs(sides[0], sides[1], np.zeros_like(sides[0]))
    units = sides[2:].T.astype(np.int64)
    result = (_scores if shard.kind == SCORES else _passages)(kept, shard, pairs, units, check)
    waiting = RankingShard.objects.filter(pk=shard.pk, result=None)
    waiting.update(result=result)
    publish(shard)


def _scores(kept: Kept, shard: RankingShard, pairs: CandidatePairs, _units: Rows, check: Callable[[], None]) -> bytes:
    return pack_scores(engine.score(*kept.job(shard.job), pairs, check))


def _passages(kept: Kept, _shard: RankingShard, pairs: CandidatePairs, units: Rows, check: Callable[[], None]) -> bytes:
    aligned = aligned_rows(kept.cohort.inputs, pairs, units, check)
    return pack_parts(
        packed for rows, passages in aligned for packed in packed_passages(kept.cohort, pairs.take(rows), passages)
    )


def publish(shard: RankingShard) -> None:
    """Publish how many pairs of all shards of the same kind are computed; the report counts as changed."""
    plan = shard.plan
    Report.objects.filter(pk=plan.report_id, state=Report.State.RUNNING).update(touched=timezone.now())
    shards = plan.shards.filter(kind=shard.kind)
    total = shards.aggregate(total=Sum("pairs"))["total"] or 0
    done = shards.exclude(result=None).aggregate(total=Sum("pairs"))["total"] or 0
    stage = progress.comparing(plan.submissions) if shard.kind == SCORES else progress.ALIGNING
    progress.publish(plan.report_id, stage, done, total)


def plan_check(plan_id: int) -> Callable[[], None]:
    """Return a function for frequent calls that raises Cancelled when the plan is not followed any more."""

    def look() -> None:
        if not is_followed(plan_id):
            raise progress.Cancelled

    return progress.now_and_then(look)


def is_followed(plan_id: int) -> bool:
    """Return whether a plan is that of a report which is ranked now."""
    return RankingPlan.objects.filter(pk=plan_id, report__state=Report.State.RUNNING).exists()


def pack_scores(scores: engine.Scores) -> bytes:
    """Return the columns of scores one after the other, in eight bytes a number."""
    columns = zip(scores._fields, scores, strict=True)
    return b"".join(column.astype(WHOLE if name in WHOLE_COLUMNS else FLOATS).tobytes() for name, column in columns)


def unpack_scores(packed: bytes) -> engine.Scores:
    names = engine.Scores._fields
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(names), -1)
    columns: Any = (
        row.view(WHOLE if name in WHOLE_COLUMNS else FLOATS).copy() for name, row in zip(names, rows, strict=True)
    )
    return engine.Scores(*columns)


def pack_parts(parts: Iterable[bytes]) -> bytes:
    """Return how many parts there are, the length of each, and then these; as for the passages of pairs."""
    parts = list(parts)
    lengths = np.array([len(parts), *map(len, parts)], dtype=NUMBERS)
    return b"".join([lengths.tobytes(), *parts])


def unpack_parts(packed: bytes) -> list[bytes]:
    count = int(np.frombuffer(packed, NUMBERS, 1)[0])
    lengths = np.frombuffer(packed, NUMBERS, count, NUMBERS.itemsize)
    ends = (1 + count) * NUMBERS.itemsize + np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return [packed[start:end] for start, end in pairwise(ends.tolist())]
