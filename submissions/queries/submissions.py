"""Submissions of a report, their files, pairs and decisions, and which are identical."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from submissions.models import Batch, Document, Submission, SubmissionFile
from submissions.queries.decisions import UNDECIDED, stored_decisions, with_decisions
from submissions.queries.withheld import all_submissions, readable_pairs, readable_submissions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from django.db.models import QuerySet

    from submissions.models import Assignment, Decision, Entry, Report
    from submissions.pseudonyms.names import Names
    from submissions.queries.decisions import DecidedPair

# Pairs of which both sides were handed in, and not by one student; see `Pair.can_make_case`.
CAN_MAKE_CASE = Q(same_student=False, with_model=False)


class Link(NamedTuple):
    """A link of the graph of submissions: a pair by the primary keys of its submissions."""

    left: int
    right: int
    similarity: float


def links(report: Report, threshold: float, among: Collection[int] | None = None) -> list[Link]:
    """Return the pairs with a similarity of at least `threshold` in [0, 1], most similar first.

    Pairs of a student and the same student's earlier work, and those with model solutions, are left out.
    With `among`, the primary keys of submissions, only pairs on whose left is one of these.
    """
    pairs = readable_pairs(report).filter(CAN_MAKE_CASE, similarity__gte=threshold)
    if among is not None:
        pairs = pairs.filter(left__in=among)
    return [Link(*row) for row in pairs.values_list("left_id", "right_id", "similarity")]


def submissions_by_id(ids: Iterable[int]) -> dict[int, Submission]:
    return Submission.objects.in_bulk(set(ids))


def find_submission(assignment: Assignment, pk: int) -> Submission:
    """Return a submission of an assignment, replaced or not, or raise Http404."""
    return get_object_or_404(
        all_submissions(assignment).select_related("batch__uploaded_by", "origin__batch"), pk=pk
    )


def replaced_by(submission: Submission) -> Submission | None:
    """Return the newest submission of the same name, or None when `submission` is the newest."""
    same_name = Submission.objects.filter(
        batch__assignment=submission.batch.assignment_id,
        batch__state__in=Batch.FULLY_READ,
        name=submission.name,
    )
    newest = same_name.select_related("batch").order_by("-batch_id").first()
    return newest if newest and newest.batch_id > submission.batch_id else None


def submission_pairs(report: Report, submission: Submission) -> QuerySet[DecidedPair]:
    """Return the pairs of a report with this submission on either side.

    They have their submissions and their decision, but no passages; `ordered_pairs` orders them.
    """
    return with_decisions(readable_pairs(report).filter(Q(left=submission) | Q(right=submission)))


def submission_decisions(assignment: Assignment, submission: Submission) -> dict[tuple[str, str], Decision]:
    """Return the decisions on pairs with this submission's name, by the names of the pair.

    Undecided ones without assignee and notes are left out.
    """
    return {
        names: decision
        for names, decision in stored_decisions(assignment).items()
        if submission.name in names and (decision.state != UNDECIDED or decision.assignee or decision.notes)
    }


def ranked_ids(report: Report, names: Iterable[str]) -> dict[str, int]:
    """Return the primary keys of a report's submissions with these names; other names are left out."""
    return dict(readable_submissions(report).filter(name__in=list(names)).values_list("name", "pk"))


def submission_files(submission: Submission) -> QuerySet[SubmissionFile]:
    """Return a submission's files with the results of their front-end, without bytes and tokens, by path."""
    files = submission.files.select_related("source", "document")
    heavy = ("source__data", "document__tokens", "document__lexical", "document__coarse", "document__styles")
    return files.defer(*heavy).order_by("path", "pk")


def files_with_sources(files: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
    """Yield those of `files` that a front-end could read, with their bytes; fetch a few at a time."""
    ready = SubmissionFile.objects.filter(
        pk__in=[file.pk for file in files], document__state=Document.State.READY
    )
    with_bytes = ready.select_related("source", "document").defer(
        "document__tokens", "document__lexical", "document__coarse"
    )
    return with_bytes.iterator(chunk_size=5)


def refused_entries(submission: Submission) -> QuerySet[Entry]:
    """Return the entries of the upload that were handed in with the submission but not accepted."""
    return submission.entries.filter(accepted=False)


def readable_files(submission: int) -> list[SubmissionFile]:
    """Return the files of a submission that can be shown, with their sources, by path."""
    files = SubmissionFile.objects.filter(submission=submission, source__emptied=None)
    readable = files.filter(document__state__in=(Document.State.READY, Document.State.KEPT))
    heavy = ("document__tokens", "document__lexical", "document__coarse", "document__styles")
    return list(readable.select_related("source", "document").defer(*heavy).order_by("path", "pk"))


class ListedDuplicates(NamedTuple):
    """Submissions of a report that are duplicates; `description` says what they have in common."""

    description: str
    submissions: list[Submission]


SAMENESS = {
    "identical": _("the same bytes"),
    "layout": _("the same but for layout and comments"),
    "names": _("the same but for names, layout and comments"),
    "lexical": _("the same but for names, values, types, layout and comments"),
}


def listed_duplicates(report: Report, names: Names, member: int | None = None) -> list[ListedDuplicates]:
    """Return the groups of identical submissions, the strongest sameness and the largest group first.

    Each is sorted by displayed name. With `member`, the primary key of a submission, only those it is in.
    """
    duplicates = [
        group
        for group in report.duplicates
        if group.sameness in SAMENESS and (member is None or member in group.submissions)
    ]
    submissions = submissions_by_id(pk for group in duplicates for pk in group.submissions)
    groups = [
        ListedDuplicates(
            str(SAMENESS[group.sameness]),
            sorted(
                (submissions[pk] for pk in group.submissions if pk in submissions),
                key=lambda submission: names.display_name(submission.name),
            ),
        )
        for group in duplicates
    ]
    strength = {str(description): place for place, description in enumerate(SAMENESS.values())}
    return sorted(
        groups,
        key=lambda group: (
            strength[group.description],
            -len(group.submissions),
            _first_name(group, names),
        ),
    )


def _first_name(group: ListedDuplicates, names: Names) -> str:
    return names.display_name(group.submissions[0].name) if group.submissions else ""
