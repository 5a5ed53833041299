"""Submissions of a report and what links them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q
from django.db.models.functions import Length
from django.shortcuts import get_object_or_404

from submissions.models import Batch, Document, Submission, SubmissionFile
from submissions.queries.decisions import UNDECIDED, decisions, with_decisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.db.models import QuerySet

    from submissions.models import Assignment, Decision, Entry, Report
    from submissions.queries.decisions import DecidedPair


class Link(NamedTuple):
    """A pair of a report by the ids of its submissions."""

    left: int
    right: int
    similarity: float


def links(report: Report, line: float) -> list[Link]:
    """Pairs from `line` in [0, 1] on, most similar first."""
    pairs = report.pairs.filter(similarity__gte=line)
    return [Link(*row) for row in pairs.values_list("left_id", "right_id", "similarity")]


def submissions_by_id(ids: Iterable[int]) -> dict[int, Submission]:
    return Submission.objects.in_bulk(set(ids))


def submission(of: Assignment, pk: int) -> Submission:
    """Find one of an assignment's submissions, replaced or not, or raise Http404."""
    uploaded = Submission.objects.filter(batch__assignment=of)
    return get_object_or_404(uploaded.select_related("batch__uploaded_by"), pk=pk)


def replaced_by(found: Submission) -> Submission | None:
    """Give the newest submission of the same name where that is not the one `found`."""
    same = Submission.objects.filter(
        batch__assignment=found.batch.assignment_id, batch__state__in=Batch.READ, name=found.name
    )
    newest = same.select_related("batch").order_by("-batch_id").first()
    return newest if newest and newest.batch_id > found.batch_id else None


def pairs_of(report: Report, found: Submission) -> QuerySet[DecidedPair]:
    """Pairs of a report with this submission on either side and their decision, most similar first."""
    mine = with_decisions(report.pairs.filter(Q(left=found) | Q(right=found)))
    return mine.select_related("left", "right").defer("passages")


def decisions_about(of: Assignment, found: Submission) -> dict[tuple[str, str], Decision]:
    """Give the decisions about this submission that say anything, by the names of the pair."""
    return {
        both: made
        for both, made in decisions(of).items()
        if found.name in both and (made.state != UNDECIDED or made.assignee or made.notes)
    }


def cohort_ids(report: Report, names: Iterable[str]) -> dict[str, int]:
    """Give the ids of those names that a report ranked."""
    return dict(report.submissions.filter(name__in=list(names)).values_list("name", "pk"))


def files_of_submission(found: Submission) -> QuerySet[SubmissionFile]:
    """Its files with what a front-end said of them, neither bytes nor tokens."""
    both = found.files.select_related("source", "document")
    heavy = ("source__data", "document__tokens", "document__lexical", "document__styles")
    return both.defer(*heavy).order_by("path", "pk")


def with_sources(files: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
    """Read files that a front-end could read, with their bytes, a few at a time."""
    ready = SubmissionFile.objects.filter(
        pk__in=[file.pk for file in files], document__state=Document.State.READY
    )
    whole = ready.select_related("source", "document").defer("document__tokens", "document__lexical")
    return whole.iterator(chunk_size=5)


def refused_entries(found: Submission) -> QuerySet[Entry]:
    """Entries of its upload that lay in its folder and were not taken.

    Where that folder stood is told by an entry that was taken; a loose file has none.
    """
    taken = found.files.order_by("pk").values_list("path", flat=True).first()
    refused = found.batch.entries.filter(accepted=False)
    if not taken:
        return refused.none()
    place = f"{found.name}/{taken}"
    entry = found.batch.entries.filter(accepted=True, name__endswith=place).order_by(Length("name")).first()
    return refused.filter(name__startswith=entry.name.removesuffix(taken)) if entry else refused.none()
