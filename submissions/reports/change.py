"""Choose what an assignment is compared with, its threshold, and lines of submissions that are ignored."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from fingerprint.engine import group_passages
from submissions.core.access import readable_submissions
from submissions.intake.packed_readings import unpack_with_lines
from submissions.models import Assignment, Batch, Boilerplate, IgnoringProposal, Pair, Report, SubmissionFile
from submissions.reports.old_work import compared_assignments
from submissions.uploads.lifecycle import cohort_queue, cohort_size, enqueue_rank
from submissions.uploads.rereading import change_language, has_outdated
from submissions.work import jobs

# Characters of the path in the name of a passage; the rest of the name takes fewer than 100.
PATH_CHARACTERS = 900


@transaction.atomic
def propose_passage(assignment: Assignment, pair: Pair, key: str) -> IgnoringProposal | None:
    """Propose the pair's block with the passage `key`, and have the effect of ignoring it measured.

    Return None, and do neither, when the pair has no such block, or is translated: its passages are no
    tokens of either language.
    """
    blocks = [] if pair.translated else group_passages(pair.passages)
    block = next((block for block in blocks if any(passage.key == key for passage in block)), None)
    if block is None:
        return None
    files = SubmissionFile.objects.filter(pk__in=(block[0].left_file, block[0].right_file))
    # The choice of the side depends on the content, so that it reveals nothing about the order of the names.
    file = files.select_related("document").order_by("source__sha256", "submission")[0]
    on_side = block if file.pk == block[0].left_file else [passage.exchanged for passage in block]
    proposal = assignment.ignoring_proposals.create(
        document=file.document,
        path=file.path,
        first=on_side[0].left_token,
        after=on_side[-1].left_token + on_side[-1].tokens,
        left=pair.left,
        right=pair.right,
    )
    _measure(proposal)
    return proposal


@transaction.atomic
def propose_common(report: Report, document: str, first: str) -> IgnoringProposal | None:
    """Propose the common code of a report that begins at a token of a document, both as texts of a form.

    Return None, and do nothing, when the report has no such code.
    """
    common = report.findings.common if report.findings else []
    wanted = (one for one in common if (str(one.document), str(one.first)) == (document, first))
    passage = next(wanted, None)
    if passage is None:
        return None
    readable = readable_submissions(report).order_by().values("pk")
    files = SubmissionFile.objects.filter(submission__in=readable, document=passage.document)
    file = files.select_related("document").order_by("pk").first()
    if file is None:
        return None
    proposal = report.assignment.ignoring_proposals.create(
        document=file.document, path=file.path, first=passage.first, after=passage.after
    )
    _measure(proposal)
    return proposal


@transaction.atomic
def choose_lines(proposal: IgnoringProposal, first_line: int, last_line: int) -> bool:
    """Choose the lines `first_line` to `last_line` of a proposal, from 1, and have their effect measured.

    Return False, and change nothing, when no token of the proposal is on them.
    """
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    chosen = [n for n in range(proposal.first, proposal.after) if first_line <= lines[n] <= last_line]
    if not chosen:
        return False
    proposal.chosen_first, proposal.chosen_after = chosen[0], chosen[-1] + 1
    proposal.effect, proposal.message = None, ""
    proposal.save(update_fields=["chosen_first", "chosen_after", "effect", "message"])
    _measure(proposal)
    return True


@transaction.atomic
def ignore_lines(proposal: IgnoringProposal) -> Boilerplate:
    """Register the chosen lines of a proposal as boilerplate and enqueue a new ranking."""
    first, after = proposal.chosen_first, proposal.chosen_after
    assert first is not None
    assert after is not None
    boilerplate, _ = Boilerplate.objects.get_or_create(
        assignment=proposal.assignment,
        document=proposal.document,
        first=first,
        after=after,
        statement=False,
        defaults={"name": _name(proposal, first, after), "source": proposal.document.source},
    )
    proposal.delete()
    enqueue_rank(proposal.assignment)
    return boilerplate


def _measure(proposal: IgnoringProposal) -> None:
    assignment = proposal.assignment
    queue = cohort_queue(*cohort_size(assignment))
    jobs.enqueue("measure_ignoring", proposal.pk, user=assignment.course.owner_id, queue=queue)


def _name(proposal: IgnoringProposal, first: int, after: int) -> str:
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    path = proposal.path[-PATH_CHARACTERS:]
    return f"passage of {path}, lines {lines[first]} to {lines[after - 1]}"


@transaction.atomic
def compare_with(
    assignment: Assignment,
    others: Collection[Assignment],
    *,
    course: bool,
    archive: bool = False,
    user: User | None = None,
) -> bool:
    """Store the other assignments that an assignment is compared with, and enqueue a ranking.

    With `course`, it is also compared with every earlier assignment of its course, with `archive` with the
    assignments of the department's archive. Return whether anything changed; only then is it ranked, and only
    if something was uploaded. Compared assignments that an earlier version has read are read again in the
    background, and then ranked again; `user` asked for this. Nothing of the archive is read again.
    """
    before = set(assignment.compared_with.values_list("pk", flat=True))
    stored = assignment.compare_course, assignment.compare_archive
    if before == {other.pk for other in others} and stored == (course, archive):
        return False
    assignment.compared_with.set(others)
    assignment.compare_course, assignment.compare_archive = course, archive
    assignment.save(update_fields=["compare_course", "compare_archive"])
    for other in filter(has_outdated, compared_assignments(assignment)):
        change_language(other, user, other.language)
    if assignment.batches.filter(state__in=Batch.FULLY_READ).exists():
        enqueue_rank(assignment)
    return True


def choose_threshold(assignment: Assignment, user: User, percent: int | None) -> None:
    """Store the threshold of an assignment, in percent from 1 to 100; None: as each report suggests."""
    assignment.threshold = None if percent is None else percent / 100
    assignment.threshold_by = None if percent is None else user
    assignment.threshold_chosen = None if percent is None else timezone.now()
    assignment.save(update_fields=["threshold", "threshold_by", "threshold_chosen"])
