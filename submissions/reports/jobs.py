"""Jobs of a ranking: what each step does, and what becomes of a report.

Another job measures what ignoring lines of a submission would change, before anybody decides about it.
"""

from __future__ import annotations

import logging
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction

from fingerprint import engine
from submissions.cases.read import linking_pairs, report_cases
from submissions.core.models import IgnoringEffect, LineCounts, LoweredPair
from submissions.core.submitters import are_mates, compared_mates
from submissions.intake.packed_readings import unpack_with_lines
from submissions.matches.groups import connected_components
from submissions.models import (
    Assignment,
    Boilerplate,
    IgnoringProposal,
    Job,
    RankingPlan,
    RankingShard,
    Report,
    Submission,
)
from submissions.pairs.read import threshold_of
from submissions.reports.cohort import (
    ClassTooLarge,
    CohortChanged,
    LoadedCohort,
    Selection,
    check_memory,
    load_cohort,
    select_cohort,
    token_count,
)
from submissions.reports.old_work import compares, comparing_assignments
from submissions.reports.progress import Cancelled
from submissions.reports.read import report_state
from submissions.uploads import lifecycle
from submissions.uploads.fingerprinting import merge_small
from submissions.uploads.rereading import replace_documents, waits_for_ranking
from submissions.work import jobs
from submissions.work.heartbeats import package_version
from submissions.work.kinds import HEAVY
from submissions.work.locks import Work, work_lock

if TYPE_CHECKING:
    from fingerprint.engine import Ranking
    from fingerprint.kernels.types import Flags, Lines
    from submissions.reports.results import Results
    from submissions.reports.shards import Prepared

logger = logging.getLogger(__name__)

# Number of shards of one ranking that wait at a time, so that the work of others is between.
SHARDS_AT_ONCE = 16

# Pairs that a proposal lists.
MAX_LISTED = 50
# Lines that fewer submissions than these have are not chosen: two who copied would be the class.
MANY = 4
# Lines of which it is counted who has them; the rest of a longer passage has no count.
MAX_LINES = 500
GONE = "The file with these lines is not in the report any more: its upload was deleted or read again."


def rank(job: Job) -> None:
    """Go on with the ranking of an assignment, then delete the older reports.

    Raises Parts when its shards are to be computed first. Raises Later or Again when the assignment is being
    changed, or a ranking that was cancelled has not ended yet; or when what was planned was changed. Raises
    Refused when the class is too large.
    """
    report = lifecycle.running_report(job.subject)
    if report is None:
        return
    with work_lock(Work.RANKING, job.subject) as free:
        if not free:
            raise lifecycle.AssignmentBusy
        try:
            _go_on(report)
        except Cancelled:
            return
        except CohortChanged:
            RankingPlan.objects.filter(report=report).delete()
            raise jobs.Again from None
        except ClassTooLarge as error:
            raise jobs.Refused(str(error), str(error)) from error


def _go_on(report: Report) -> None:
    plan = RankingPlan.objects.filter(report=report).select_related("report__assignment").first()
    if plan is None:
        if compares(report.assignment):
            merge_small()
        _begin(report)
        jobs.enqueue("merge_postings", queue=HEAVY)
    elif enqueue_shards(plan):
        raise jobs.Parts
    elif plan.version != package_version():  # Another version might score otherwise.
        raise jobs.Later(jobs.ROOM_INTERVAL, f"it was begun by version {plan.version}")
    else:
        _merge(plan)


def _begin(report: Report) -> None:
    """Rank the cohort of a report, or cut its pairs into shards; nothing is locked while it is loaded."""
    from submissions.reports.shards import cut, prepare  # noqa: PLC0415 - imports the engine: workers only

    # The last report must keep its documents until the new one is there: then this is one transaction.
    prepared = None if waits_for_ranking(report.assignment_id) else prepare(report)
    plan = cut(report, prepared) if prepared else None
    if plan:
        enqueue_shards(plan)
        raise jobs.Parts
    with transaction.atomic():
        _rank_locked(report.pk, report.assignment_id, prepared)


def _rank_locked(report_id: int, assignment_id: int, prepared: Prepared | None) -> None:
    from submissions.reports.results import rank_without_cancelled  # noqa: PLC0415
    from submissions.reports.shards import is_current  # noqa: PLC0415 - imports the engine: workers only

    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    locked = lifecycle.lock_assignment(assignment_id, wait=False)
    report = unfinished.select_related("assignment").first()
    if locked is None or report is None:  # the report was deleted
        return
    is_read_again = replace_documents(locked)
    is_ready = prepared is not None and not is_read_again and is_current(locked, prepared)
    _finish(report, rank_without_cancelled(report, prepared if is_ready else None))
    if is_read_again:
        for other in comparing_assignments(locked):
            lifecycle.enqueue_rank(other)


def _finish(report: Report, batches: list[int]) -> None:
    # What is told of a finished report reads what is stored of it, and of the one before.
    report.save(update_fields=["duplicates", "findings", "parameters"])
    if not lifecycle.finish_report(report):
        raise Cancelled
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    lifecycle.finish_batches(batches)


def enqueue_shards(plan: RankingPlan) -> bool:
    """Enqueue the first shards that wait; each of them enqueues a later one. Return whether there are any."""
    waiting = plan.shards.filter(result=None).order_by("number").values_list("pk", flat=True)
    first = list(waiting[:SHARDS_AT_ONCE])
    _enqueue(plan, first)
    return bool(first)


def _enqueue(plan: RankingPlan, shards: list[int]) -> None:
    assignment: Assignment = plan.report.assignment
    jobs.enqueue_all("score_shard", shards, assignment.pk, user=assignment.course.owner_id, queue=HEAVY)


def score_shard(job: Job) -> None:
    """Score or align the pairs of one shard, and enqueue a later one, behind the work of others."""
    from submissions.reports.shards import compute  # noqa: PLC0415 - imports the engine: workers only

    waiting = RankingShard.objects.filter(pk=job.subject, plan__report__state=Report.State.RUNNING)
    shard = waiting.select_related("plan__report__assignment__course").first()
    if shard is None or shard.plan.version != package_version():
        return
    try:
        if shard.result is None:
            compute(shard)
    except Cancelled:
        return
    except CohortChanged:
        _start_again(shard.plan)
        return
    except ClassTooLarge as error:
        raise jobs.Refused(str(error), str(error)) from error
    _enqueue_later(shard)


def _enqueue_later(shard: RankingShard) -> None:
    from submissions.reports.cohort import forget  # noqa: PLC0415 - imports the engine: workers only
    from submissions.reports.shards import is_followed  # noqa: PLC0415

    plan = shard.plan
    if not is_followed(plan.pk):
        forget(plan.pk)
        return
    waiting = plan.shards.filter(result=None)
    _enqueue(plan, list(waiting.filter(number=shard.number + SHARDS_AT_ONCE).values_list("pk", flat=True)))
    queued = Job.objects.filter(kind="score_shard", part=plan.report.assignment_id, state=Job.State.QUEUED)
    if shard.kind == RankingShard.Kind.PASSAGES and waiting.exists() and not queued.exists():
        forget(plan.pk)


def _start_again(plan: RankingPlan) -> None:
    """Have a ranking planned again, of what was changed meanwhile, or by another version."""
    RankingPlan.objects.filter(pk=plan.pk).delete()
    jobs.parts_of("rank", plan.report.assignment_id).delete()


def fail_shard(job: Job, message: str) -> None:
    """Fail the ranking of a shard; one of a version of which no worker is left begins again."""
    shards = RankingShard.objects.filter(pk=job.subject).select_related("plan__report")
    for plan in [shard.plan for shard in shards]:
        if message == jobs.OTHER_VERSION:
            _start_again(plan)
            continue
        for ranking in Job.objects.filter(kind="rank", subject=job.part).exclude(state=Job.State.QUEUED):
            jobs.fail(ranking, message)


def show_ranking(job: Job, state: str, reason: str) -> None:
    """Show the state of a job on the report of its assignment: the newest one is what is ranked."""
    if state == Job.State.RUNNING:
        lifecycle.start_report(job.subject)
    else:
        lifecycle.requeue_report(job.subject, reason)


def fail_ranking(job: Job, message: str) -> None:
    """Fail the report of a job, and the batches that wait for it when no other one is coming."""
    unfinished = Report.objects.filter(assignment=job.subject, state__in=Report.UNFINISHED)
    for report in unfinished.order_by("-state")[:1]:  # the running one, if there is one
        lifecycle.fail_report(report.pk, message)


def _merge(plan: RankingPlan) -> None:
    """Cut the listed pairs into shards, or else save the report; nothing is locked while computing."""
    from submissions.reports.results import merge_scores, with_effect  # noqa: PLC0415 - the engine: workers only
    from submissions.reports.shards import cut_listed  # noqa: PLC0415

    results = merge_scores(plan)
    is_scored_only = not plan.shards.filter(kind=RankingShard.Kind.PASSAGES).exists()
    if is_scored_only and cut_listed(plan, results.best):
        enqueue_shards(plan)
        raise jobs.Parts
    _save(plan, with_effect(plan, results))


def _save(plan: RankingPlan, results: Results) -> None:
    from submissions.reports.cohort import forget  # noqa: PLC0415 - imports the engine: workers only
    from submissions.reports.results import has_cancelled, merge_passages, save  # noqa: PLC0415
    from submissions.reports.shards import has_files  # noqa: PLC0415

    report = plan.report
    with transaction.atomic():
        lifecycle.lock_assignment(report.assignment_id, wait=True)
        if not RankingPlan.objects.filter(pk=plan.pk, report__state=Report.State.RUNNING).exists():
            raise Cancelled
        if not has_files(results.cohort):
            raise CohortChanged
        save(report, results, partial(merge_passages, plan, results))
        if has_cancelled(report):
            raise CohortChanged
        _finish(report, plan.batches)
        plan.delete()
    forget(plan.pk)


def measure_ignoring(job: Job) -> None:
    """Count who has each line of a proposal, choose lines where none are chosen, and measure the effect.

    Raises Refused when the class is too large, or the file with the lines is not in it any more.
    """
    pending = IgnoringProposal.objects.filter(pk=job.subject, effect__isnull=True, message="")
    proposal = pending.select_related("assignment__course", "document").first()
    report = report_state(proposal.assignment).report if proposal else None
    if proposal is None:
        return
    if report is None:
        raise jobs.Refused(GONE, GONE)
    selection = select_cohort(proposal.assignment)
    try:
        check_memory(token_count(selection))
    except ClassTooLarge as error:
        raise jobs.Refused(str(error), str(error)) from error
    if proposal.chosen_first is None or proposal.counts is None:
        _choose_lines(proposal, load_cohort(proposal.assignment, selection))
    effect = _effect(report, _rank_without(proposal, selection))
    chosen = pending.filter(chosen_first=proposal.chosen_first, chosen_after=proposal.chosen_after)
    chosen.update(effect=effect)


def fail_ignoring(job: Job, message: str) -> None:
    """Say on its page that the effect of a proposal could not be measured."""
    IgnoringProposal.objects.filter(pk=job.subject).update(message=message)


def _choose_lines(proposal: IgnoringProposal, cohort: LoadedCohort) -> None:
    """Store who has the lines of a proposal; choose those that many have, or all where no line is in many."""
    files = (i for i, one in enumerate(cohort.files) if one.document_id == proposal.document_id)
    file = next(files, None)
    if file is None:
        raise jobs.Refused(GONE, GONE)
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    bounds = _line_bounds(lines, proposal.first, proposal.after)
    holders = [_holders(cohort, file, *bound) for bound in bounds[:MAX_LINES]]
    first, after = _commonest_run(holders, bounds, max(MANY, cohort.class_size // 2 + 1))
    numbers = [int(lines[start]) for start, _ in bounds[:MAX_LINES]]
    counts = dict(zip(numbers, map(int, map(np.sum, holders)), strict=True))
    proposal.counts = LineCounts(
        first=numbers[0],
        counts=[counts.get(number, 0) for number in range(numbers[0], numbers[-1] + 1)],
        submissions=cohort.class_size,
    )
    built = cohort.inputs.cohort
    start = int(built.file_starts[file])
    chosen = engine.whole_lines(built, start + bounds[first][0], start + bounds[after - 1][1])
    proposal.chosen_first, proposal.chosen_after = (token - start for token in chosen)
    proposal.save(update_fields=["counts", "chosen_first", "chosen_after"])


def _line_bounds(lines: Lines, first: int, after: int) -> list[tuple[int, int]]:
    """Return [first token, after the last) of each line with tokens among [`first`, `after`)."""
    edges = np.flatnonzero(np.diff(lines[first:after])) + 1 + first
    return list(pairwise([first, *edges.tolist(), after]))


def _holders(cohort: LoadedCohort, file: int, first: int, after: int) -> Flags:
    """Return which submissions of the class have the tokens [`first`, `after`) of a file: bool [n].

    They have them in a run of at least k equal tokens: of a shorter line, with the tokens around it.
    """
    built = cohort.inputs.cohort
    start, end = int(built.file_starts[file]), int(built.file_starts[file + 1]) - 1
    size = max(after - first, built.k)
    windows = range(max(start, start + after - size), min(start + first, end - size) + 1)
    kinds, holds = built.tokens.kinds, np.zeros(len(built), dtype=np.bool_)
    for window in windows:
        places = np.flatnonzero(kinds[: len(kinds) - size + 1] == kinds[window])
        for step in range(1, size):
            places = places[kinds[places + step] == kinds[window + step]]
        holds[np.searchsorted(built.submission_starts, places, side="right") - 1] = True
    return holds & ~cohort.old


def _commonest_run(holders: list[Flags], bounds: list[tuple[int, int]], least: int) -> tuple[int, int]:
    """Return the run of lines [first, after) with the most tokens times submissions that have all of it.

    At least `least` submissions have it; where no line is in so many, it is all lines.
    """
    best, run = 0, (0, len(bounds))
    for first, flags in enumerate(holders):
        common = flags
        for after in range(first + 1, len(holders) + 1):
            common = common & holders[after - 1]
            if (count := int(common.sum())) < least:
                break
            weight = count * (bounds[after - 1][1] - bounds[first][0])
            if weight > best:
                best, run = weight, (first, after)
    return run


def _rank_without(proposal: IgnoringProposal, selection: Selection) -> tuple[LoadedCohort, Ranking]:
    """Rank the class as if the chosen lines were registered."""
    ignored = Boilerplate(document_id=proposal.document_id, first=proposal.chosen_first, after=proposal.chosen_after)
    boilerplate = [*selection.boilerplate, ignored]
    cohort = load_cohort(proposal.assignment, selection._replace(boilerplate=boilerplate))
    return cohort, engine.rank_for_report(cohort.inputs, MAX_LISTED)


def _effect(report: Report, ranked: tuple[LoadedCohort, Ranking]) -> IgnoringEffect:
    cohort, ranking = ranked
    before = threshold_of(report)
    chosen = report.assignment.threshold
    threshold = ranking.threshold.value if chosen is None else chosen
    similarities = _similarities(report, cohort, ranking)
    standing = {link for link, similarity in similarities.items() if similarity >= threshold}
    stood = {frozenset(link[:2]): link for link in linking_pairs(report, before)}
    lowered = [
        LoweredPair(
            left=link.left, right=link.right, similarity=similarities.get(pair, 0.0), similarity_before=link.similarity
        )
        for pair, link in stood.items()
        if pair not in standing
    ]
    return IgnoringEffect(
        threshold=threshold,
        threshold_before=before,
        cases=len(connected_components(tuple(pair) for pair in standing)),  # type: ignore[misc] # of two
        cases_before=len(report_cases(report)),
        lowered=lowered[:MAX_LISTED],
        lowered_count=len(lowered),
        raised_count=len(standing - stood.keys()),
    )


def _similarities(report: Report, cohort: LoadedCohort, ranking: Ranking) -> dict[frozenset[int], float]:
    """Return the similarities of the pairs of a ranking that may connect cases, by both primary keys.

    Old work is in a report under the keys of its copies; without one it is in no pair of the report.
    """
    copies = Submission.objects.filter(reports=report, origin__isnull=False)
    copy_of = dict(copies.values_list("origin", "pk"))
    keys = [
        copy_of.get(one.pk) if cohort.is_unlisted(index) else one.pk for index, one in enumerate(cohort.submissions)
    ]
    mates = compared_mates(report.assignment, [key for key in keys if key])
    rows = zip(
        ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), ranking.scores.similarity.tolist(), strict=True
    )
    return {
        frozenset((left_key, right_key)): similarity
        for left, right, similarity in rows
        if (left_key := keys[left])
        and (right_key := keys[right])
        and cohort.can_make_case(left, right)
        and not are_mates(mates, left_key, right_key)
    }
