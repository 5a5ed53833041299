"""Rows of list pages. Each list takes a fixed number of database queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.db.models import Count, Exists, IntegerField, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce, Collate

from submissions.comparison.orders import natural_key
from submissions.intake.archives.read_files import ReadFile
from submissions.intake.left_out.patterns import EXCLUDED
from submissions.intake.left_out.rules import REASONS
from submissions.models import (
    Alias,
    Assignment,
    Batch,
    Course,
    Document,
    Entry,
    Report,
    Submission,
    SubmissionFile,
)
from submissions.permissions import Right, courses_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.pseudonyms.names import Names

    ListedAssignment = WithAnnotations[Assignment, "AssignmentAnnotations"]
    ListedSubmission = WithAnnotations[Submission, "SubmissionAnnotations"]


class AssignmentAnnotations(TypedDict):
    submission_count: int
    pair_count: int | None
    newest_state: str | None
    is_read: bool


class SubmissionAnnotations(TypedDict):
    file_count: int
    superseded: bool


def listed_courses(user: User) -> QuerySet[Course]:
    """Return the courses that `user` may read, with `assignment_count` and the owner, by name."""
    listed = (
        courses_with(user, Right.READ).select_related("owner").annotate(assignment_count=Count("assignments"))
    )
    return listed.order_by("name", "pk")


def _count(rows: QuerySet[Any], group: str, aggregate: Count | None = None) -> Coalesce:
    """Return a subquery that counts `rows` per `group`.

    Several counts over joins in one query would multiply each other; subqueries do not.
    """
    counted = rows.order_by().values(group).annotate(n=aggregate or Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def listed_assignments(course: Course) -> QuerySet[ListedAssignment]:
    """Return the assignments of a course with `submission_count` and `pair_count`.

    `submission_count` is the size of the cohort; `pair_count` is None without a finished report.
    `newest_state` is the state of the newest report, finished or not; `is_read` is whether an upload is being
    read.
    """
    done = Submission.objects.filter(
        batch__assignment=OuterRef("pk"), batch__state=Batch.State.DONE, origin=None
    )
    latest = Report.objects.filter(assignment=OuterRef("pk")).order_by("-pk")
    newest = latest.filter(state=Report.State.DONE)
    return course.assignments.annotate(
        submission_count=_count(done, "batch__assignment", Count("name", distinct=True)),
        newest_state=Subquery(latest.values("state")[:1]),
        is_read=Exists(Batch.objects.filter(assignment=OuterRef("pk"), state__in=Batch.RUNNING)),
        pair_count=Subquery(newest.annotate(n=Count("pairs")).values("n")[:1], output_field=IntegerField()),
    )


def listed_batches(assignment: Assignment) -> QuerySet[Batch]:
    """Return the batches of an assignment, newest first, with `submission_count` and `skipped_count`."""
    return assignment.batches.exclude(role=Batch.Role.OTHER).annotate(
        submission_count=_count(Submission.objects.filter(batch=OuterRef("pk")), "batch"),
        skipped_count=_count(Entry.objects.filter(batch=OuterRef("pk"), accepted=False), "batch"),
    )


def batch_submissions(batch: Batch, names: Names) -> Sequence[ListedSubmission] | QuerySet[ListedSubmission]:
    """Return the submissions of a batch with `file_count` and `superseded`, by displayed name.

    A submission is superseded when a later finished batch has one of the same name.
    """
    later = Submission.objects.filter(
        batch__assignment=batch.assignment_id,
        batch__state=Batch.State.DONE,
        batch__gt=batch.pk,
        name=OuterRef("name"),
    )
    counted = batch.submissions.annotate(file_count=Count("files"), superseded=Exists(later))
    if names.hidden:
        return counted.order_by(alias_of("batch__assignment", "name"), "pk")
    return sorted(counted, key=lambda submission: natural_key(names.display_name(submission.name)))


class LeftOutKind(NamedTuple):
    """Files of one origin that an upload left out; `rule` is empty where a pattern of the assignment did."""

    reason: str
    entries: int
    size: int
    rule: str
    counted_next: bool


def left_out_kinds(batch: Batch) -> list[LeftOutKind]:
    """Return what was left out of an upload because nobody in the class wrote it, most entries first."""
    rules = {reason: rule for rule, reason in REASONS.items()}
    taken_in = batch.assignment.file_patterns.taken_in
    left_out = batch.entries.filter(accepted=False, reason__in=[*rules, EXCLUDED])
    rows = left_out.order_by().values_list("reason").annotate(Count("pk"), Sum("size"))
    kinds = [
        LeftOutKind(reason, count, size, rules.get(reason, ""), rules.get(reason, "") in taken_in)
        for reason, count, size in rows
    ]
    return sorted(kinds, key=lambda kind: (-kind.entries, kind.reason))


def read_files(batch: Batch) -> list[ReadFile]:
    """Return the files of an upload that were read to be compared."""
    files = SubmissionFile.objects.filter(submission__batch=batch, document__state=Document.State.READY)
    read = ("language", "token_count", "read_share", "unclosed_line")
    rows = files.order_by("pk").values_list(
        "submission__name", "path", *(f"document__{name}" for name in read)
    )
    return [ReadFile(*row) for row in rows]


def failed_files(batch: Batch, names: Names) -> QuerySet[SubmissionFile]:
    """Return the files of a batch that no front-end could read, by displayed name; see `document.reason`."""
    failed = SubmissionFile.objects.filter(submission__batch=batch, document__state=Document.State.FAILED)
    rows = failed.select_related("submission", "document").defer("document__tokens", "document__coarse")
    alias = alias_of("submission__batch__assignment", "submission__name")
    return rows.order_by(alias if names.hidden else "submission__name", "path")


def taken_entries(batch: Batch, names: Names) -> Sequence[Entry] | QuerySet[Entry]:
    """Return the entries of an upload that were taken; as paths in their submissions where names are hidden.

    The path of an entry may have ids of the student and the exact time of handing in.
    """
    if not names.hidden:
        return batch.entries.filter(accepted=True)
    files = SubmissionFile.objects.filter(submission__batch=batch)
    rows = files.values_list("submission__name", "path", "source__size")
    entries = [Entry(name=f"{name}/{path}", size=size, accepted=True) for name, path, size in rows]
    return sorted(entries, key=lambda entry: (names.redact_text(entry.name), entry.size))


def displayed_entries(entries: QuerySet[Entry], names: Names) -> Sequence[Entry] | QuerySet[Entry]:
    """Return entries of an upload, by displayed path where names are hidden."""
    if not names.hidden:
        return entries
    return sorted(entries, key=lambda entry: (names.redact_entry(entry.name), entry.reason, entry.size))


def alias_of(assignment: str, name: str) -> Collate:
    """Return the alias of a row's submission; `assignment` and `name` are fields of the row.

    It is sorted as Python sorts it, whatever the collation of the database is.
    """
    aliases = Alias.objects.filter(assignment=OuterRef(assignment), name=OuterRef(name))
    return Collate(Subquery(aliases.values("alias")), "C")
