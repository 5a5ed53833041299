"""All reads of the pages: who may see what, and each page's rows in a bounded number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404

from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    Course,
    Document,
    Entry,
    Ignored,
    Pair,
    Report,
    Submission,
    SubmissionFile,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    ListedAssignment = WithAnnotations[Assignment, "AssignmentCounts"]
    ListedSubmission = WithAnnotations[Submission, "SubmissionFacts"]


class AssignmentCounts(TypedDict):
    submission_count: int
    pair_count: int | None


class SubmissionFacts(TypedDict):
    file_count: int
    superseded: bool


SORT_FIELDS = {
    "left": "left__name",
    "right": "right__name",
    "similarity": "similarity",
    "left_share": "left_share",
    "right_share": "right_share",
    "tokens": "tokens",
    "lines": "lines",
    "longest": "longest",
}


def courses(user: User) -> QuerySet[Course]:
    """Courses that `user` may open: their own, and every one for staff."""
    return Course.objects.all() if user.is_staff else Course.objects.filter(owner=user)


def listed_courses(user: User) -> QuerySet[Course]:
    """`courses` with `assignment_count` and the owner."""
    listed = courses(user).select_related("owner").annotate(assignment_count=Count("assignments"))
    return listed.order_by("name", "pk")


def course(user: User, pk: int) -> Course:
    """Find it, or raise Http404 where `user` may not know that it exists; so do the three below."""
    return get_object_or_404(courses(user).select_related("owner"), pk=pk)


def assignment(user: User, pk: int) -> Assignment:
    visible = Assignment.objects.filter(course__in=courses(user))
    return get_object_or_404(visible.select_related("course__owner"), pk=pk)


def batch(user: User, pk: int) -> Batch:
    visible = Batch.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment__course__owner", "uploaded_by"), pk=pk)


def boilerplate(user: User, pk: int) -> Boilerplate:
    visible = Boilerplate.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment"), pk=pk)


def _count(rows: QuerySet[Any], group: str, what: Count | None = None) -> Coalesce:
    """Count `rows` a `group` in a subquery, so that several counts do not multiply each other."""
    counted = rows.order_by().values(group).annotate(n=what or Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def listed_assignments(of: Course) -> QuerySet[ListedAssignment]:
    """List assignments with `submission_count` (the cohort's) and `pair_count` (None without a report)."""
    done = Submission.objects.filter(batch__assignment=OuterRef("pk"), batch__state=Batch.State.DONE)
    newest = Report.objects.filter(assignment=OuterRef("pk"), state=Report.State.DONE).order_by("-pk")
    return of.assignments.annotate(
        submission_count=_count(done, "batch__assignment", Count("name", distinct=True)),
        pair_count=Subquery(newest.annotate(n=Count("pairs")).values("n")[:1], output_field=IntegerField()),
    )


def listed_batches(of: Assignment) -> QuerySet[Batch]:
    """List batches, newest first, with `submission_count` and `skipped_count`."""
    return of.batches.annotate(
        submission_count=_count(Submission.objects.filter(batch=OuterRef("pk")), "batch"),
        skipped_count=_count(Entry.objects.filter(batch=OuterRef("pk"), accepted=False), "batch"),
    )


def running_batches(of: Assignment) -> QuerySet[Batch]:
    return of.batches.filter(state__in=Batch.RUNNING)


def batch_submissions(of: Batch) -> QuerySet[ListedSubmission]:
    """List submissions with `file_count` and `superseded`: a later finished upload has the same name."""
    later = Submission.objects.filter(
        batch__assignment=of.assignment_id,
        batch__state=Batch.State.DONE,
        batch__gt=of.pk,
        name=OuterRef("name"),
    )
    counted = of.submissions.annotate(file_count=Count("files"), superseded=Exists(later))
    return counted.order_by("name", "pk")


def failed_files(of: Batch) -> QuerySet[SubmissionFile]:
    """Files of which no front-end could make tokens; `document.reason` says why."""
    failed = SubmissionFile.objects.filter(submission__batch=of, document__state=Document.State.FAILED)
    chosen = failed.select_related("submission", "document").defer("document__tokens")
    return chosen.order_by("submission__name", "path")


@dataclass(frozen=True, slots=True)
class ReportState:
    """`shown`: newest finished report; `pending`: a newer one is coming; `failed`: the newer one that did."""

    shown: Report | None
    pending: bool
    failed: Report | None


def report_state(of: Assignment) -> ReportState:
    done = of.reports.filter(state=Report.State.DONE)
    shown = done.annotate(cohort_size=Count("submissions")).order_by("-pk").first()
    latest = of.reports.first()
    if latest and of.boilerplate.filter(created__gt=latest.created).exists():
        # Its report is made once a worker has read it.
        return ReportState(shown, pending=True, failed=None)
    failed = latest if latest and latest.state == Report.State.FAILED else None
    return ReportState(shown, pending=latest is not None and latest != shown and not failed, failed=failed)


class ShownGroup(NamedTuple):
    """Submissions of a report that belong together, by name; `about` says why."""

    about: str
    submissions: list[Submission]


SAMENESS = {
    "identical": "the same bytes",
    "lexical": "the same but for comments, layout, names and values",
    "fingerprints": "the same fingerprints",
}


def shown_groups(report: Report) -> tuple[list[ShownGroup], list[ShownGroup]]:
    """Give groups of submissions that are the same, and clusters from the suggested threshold on."""
    wanted = {pk for group in report.same for pk in group["submissions"]}
    wanted |= {pk for cluster in report.clusters for pk in cluster}
    found = Submission.objects.in_bulk(wanted)

    def named(ids: list[int]) -> list[Submission]:
        return [found[pk] for pk in ids if pk in found]

    same = [ShownGroup(SAMENESS[group["sameness"]], named(group["submissions"])) for group in report.same]
    return same, [ShownGroup("", named(cluster)) for cluster in report.clusters]


@dataclass(frozen=True, slots=True)
class PairFilter:
    """What of a report to list: every word of `text` in one of the names; `minimum` in [0, 1]."""

    text: str = ""
    minimum: float = 0.0
    sort: str = "-similarity"


def ranked_pairs(report: Report, chosen: PairFilter) -> QuerySet[Pair]:
    """Pairs with both submissions, without their passages."""
    pairs = report.pairs.select_related("left", "right").defer("passages")
    if chosen.minimum > 0:
        pairs = pairs.filter(similarity__gte=chosen.minimum)
    for word in chosen.text.split():
        pairs = pairs.filter(Q(left__name__icontains=word) | Q(right__name__icontains=word))
    field = F(SORT_FIELDS[chosen.sort.removeprefix("-")])
    first = field.desc() if chosen.sort.startswith("-") else field.asc()
    return pairs.order_by(first, "-similarity", "-tokens", "pk")


def pair(report: Report, left_id: int, right_id: int) -> Pair | None:
    chosen = report.pairs.select_related("left__batch", "right__batch")
    return chosen.filter(left=left_id, right=right_id).first()


def cohort_names(of: Assignment, *ids: int) -> dict[int, str]:
    """Names of those submissions of an assignment, whether ranked or not."""
    mine = Submission.objects.filter(batch__assignment=of, pk__in=ids)
    return dict(mine.values_list("pk", "name"))


def files_of(found: Pair) -> list[SubmissionFile]:
    """Files of both submissions with sources and tokens, by path."""
    both = SubmissionFile.objects.filter(submission__in=[found.left_id, found.right_id])
    return list(both.select_related("source", "document").order_by("path", "pk"))


def ignored_tokens(report: Report, files: list[SubmissionFile]) -> dict[int, list[tuple[int, int]]]:
    """Token ranges [first, after the last) that a report left out, by document."""
    rows = Ignored.objects.filter(report=report, document__in={file.document_id for file in files})
    return {row.document_id: [(first, after) for first, after in row.spans] for row in rows}
