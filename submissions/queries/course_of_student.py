"""The submissions of a report, and one student over a course: the best match in each assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, Q

from submissions.comparison.orders import natural_key
from submissions.mates import student_keys
from submissions.models import Batch, Report, Submission
from submissions.models.courses import NOTHING_WITHHELD
from submissions.queries.cases import cases_by_member
from submissions.queries.flags import partly_read
from submissions.queries.pairs import threshold_of
from submissions.queries.withheld import readable_submissions, withheld_in_course, withhold

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.mates import KnownBy
    from submissions.models import Assignment
    from submissions.pseudonyms.names import Names
    from submissions.queries.cases import CasePairs


class AssignmentOfStudent(NamedTuple):
    """A student's submission for one assignment, with the similarity of its best match.

    `by` is what recognises the student there.
    """

    assignment: Assignment
    submission: Submission
    similarity: float
    stands_out: bool
    by: KnownBy


class _Recognised(NamedTuple):
    submission: Submission
    by: KnownBy


def assignments_of_student(
    assignment: Assignment, submission: Submission, user: User
) -> list[AssignmentOfStudent]:
    """Return the ranked assignments of the course that have work of the submission's student, in order.

    Work of a team is that of each of its students. Of a course with one ranked assignment, return none.
    A match that `user` may not read does not count.
    """
    reports = _newest_reports(assignment.course_id)
    if len(reports) <= 1:
        return []
    student = student_keys(Submission.objects.filter(pk=submission.pk))[submission.pk].keys()
    ranked = Submission.objects.filter(reports__in=reports, batch__role=Batch.Role.CLASS)
    similar = ranked.filter(_may_be_of(submission)).distinct()
    keys = student_keys(similar)
    known = {pk: [students[key].by for key in student & students.keys()] for pk, students in keys.items()}
    theirs = {one.pk: _Recognised(one, known[one.pk][0]) for one in similar if known[one.pk]}
    kept = withheld_in_course(assignment.course, user) if theirs else {}
    for report in reports:
        report.assignment.withheld = kept.get(report.assignment_id, NOTHING_WITHHELD)
    rows = [row for report in reports for row in _rows(withhold(report), theirs)]
    return sorted(rows, key=lambda row: (natural_key(row.assignment.name), row.assignment.pk))


def _newest_reports(course: int) -> list[Report]:
    done = Report.objects.filter(assignment__course=course, state=Report.State.DONE)
    newest = done.order_by("assignment_id", "-pk").distinct("assignment_id").select_related("assignment")
    return list(newest.defer("duplicates"))


def _may_be_of(submission: Submission) -> Q:
    """Return a condition that all submissions of the students meet, and few others."""
    students = list(submission.students.values_list("name", "identifier", "enrolled"))
    names, identifiers, enrolled = (
        ([value for value in values if value] for values in zip(*students, strict=True))
        if students
        else ([], [], [])
    )
    return (
        Q(name__in=[submission.name, *names])
        | Q(students__name__in=[submission.name, *names])
        | Q(students__identifier__in=identifiers)
        | Q(students__enrolled__in=enrolled)
    )


def _rows(report: Report, theirs: dict[int, _Recognised]) -> list[AssignmentOfStudent]:
    """Return the student's best match in a report; of several submissions, the most similar one."""
    best = report.findings.best if report.findings else []
    matches = [match for match in best if match.submission in theirs]
    if not matches:
        return []
    match = max(matches, key=lambda match: match.similarity)
    stands_out = match.similarity >= threshold_of(report)
    submission, by = theirs[match.submission]
    return [AssignmentOfStudent(report.assignment, submission, match.similarity, stands_out, by)]


class ListedStudent(NamedTuple):
    """A submission of a report; `displayed` is the name that the reader sees.

    `match` is its best match, None where it shares nothing; `attempts` is the number of uploads of the
    assignment that have a submission of its name. `is_partly_read`: see `partly_read`.
    """

    displayed: str
    submission: Submission
    match: Submission | None
    similarity: float
    attempts: int
    case: CasePairs | None
    is_partly_read: bool


def listed_students(report: Report, names: Names) -> list[ListedStudent]:
    """Return the submissions of a report, by displayed name."""
    submissions = {row.pk: row for row in readable_submissions(report).select_related("batch")}
    best = {match.submission: match for match in (report.findings.best if report.findings else [])}
    uploaded = Submission.objects.filter(
        batch__assignment=report.assignment_id, batch__state__in=Batch.FULLY_READ
    )
    attempts = dict(uploaded.order_by().values_list("name").annotate(Count("pk")))
    by_member, partly = cases_by_member(report), partly_read(readable_submissions(report))
    rows = []
    for pk, submission in submissions.items():
        match = best.get(pk)
        rows.append(
            ListedStudent(
                names.display_name(submission.name),
                submission,
                submissions.get(match.match or 0) if match else None,
                match.similarity if match else 0.0,
                attempts.get(submission.name, 1),
                by_member.get(pk),
                pk in partly,
            )
        )
    return sorted(rows, key=lambda row: (row.displayed.casefold(), row.displayed))
