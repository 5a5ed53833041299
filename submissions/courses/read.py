"""Courses and assignments in lists, the people and the roster of a course, and the department's archive.

The assignments of a course together have their state, cases, and the pairs of students that come back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

from django.contrib.auth.models import User
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce, Concat, Lower
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from submissions import models
from submissions.cases.read import Decisions, decided_case, stored_cases, suspicion_counts
from submissions.core import rights as permissions
from submissions.core.access import readable, withheld_in_course
from submissions.core.rights import Right, courses_with
from submissions.core.submitters import KnownBy, KnownStudent, are_mates, compared_mates, student_keys
from submissions.matches.groups import Key, connected_components, natural_key
from submissions.pairs.read import threshold_of
from submissions.reports.old_work import archived_assignments, newest_submissions
from submissions.uploads.read import count_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    ListedAssignment = WithAnnotations[models.Assignment, "AssignmentAnnotations"]
    AdministeredCourse = WithAnnotations[models.Course, "CourseFigures"]


InCourse = TypeVar("InCourse", models.Invitation, models.CampusGroup)

# Stated reasons that a page lists, the newest ones.
REASONS_LISTED = 50

# Students of an assignment that are listed; the rest is counted.
MAX_LISTED = 50

# A pair of students comes back if it reaches the threshold in so many assignments.
MIN_ASSIGNMENTS = 2


class AssignmentAnnotations(TypedDict):
    submission_count: int
    newest_state: str | None
    is_read: bool


def listed_courses(user: User) -> QuerySet[models.Course]:
    """Return the courses that `user` may read, with `assignment_count` and the owner, by name."""
    listed = courses_with(user, Right.READ).select_related("owner").annotate(assignment_count=Count("assignments"))
    return listed.order_by("name", "pk")


def listed_assignments(course: models.Course) -> QuerySet[ListedAssignment]:
    """Return the assignments of a course with `submission_count`, the size of the cohort.

    `newest_state` is the state of the newest report, finished or not; `is_read` is whether an upload is being read.
    """
    done = models.Submission.objects.filter(
        batch__assignment=OuterRef("pk"), batch__state=models.Batch.State.DONE, origin=None
    )
    latest = models.Report.objects.filter(assignment=OuterRef("pk")).order_by("-pk")
    return course.assignments.annotate(
        submission_count=count_of(done, "batch__assignment", Count("name", distinct=True)),
        newest_state=Subquery(latest.values("state")[:1]),
        is_read=Exists(models.Batch.objects.filter(assignment=OuterRef("pk"), state__in=models.Batch.RUNNING)),
    )


class CourseFigures(TypedDict):
    assignment_count: int
    submission_count: int
    people_count: int
    last_upload: object


class People(NamedTuple):
    """The people of a course: members, campus groups, valid invitations, and reasons of administrators."""

    members: list[models.Membership]
    campus_groups: list[models.CampusGroup]
    invitations: list[models.Invitation]
    reasons: list[models.StatedReason]


def people_of(course: models.Course) -> People:
    """Return the people of a course, members by user name."""
    invitations = course.invitations.filter(_is_valid())
    return People(
        list(course.memberships.select_related("user")),
        list(course.campus_groups.all()),
        list(invitations.select_related("invited_by")),
        list(course.stated_reasons.select_related("user")[:REASONS_LISTED]),
    )


def course_with_people(user: User, pk: int) -> models.Course:
    """Return a course whose people a user may see: every member may, and every administrator.

    Raises Http404 when it does not exist, or `user` has no right in it.
    """
    return get_object_or_404(permissions.visible_courses(user).select_related("owner"), pk=pk)


def find_membership(user: User, pk: int, right: Right = Right.MANAGE) -> models.Membership:
    """Return a membership that a user may change or end: that of others takes a right in the course."""
    rows = models.Membership.objects.filter(course__in=permissions.visible_courses(user))
    row = get_object_or_404(rows.select_related("course__owner", "user"), pk=pk)
    if row.user_id == user.pk:
        permissions.require_scope(user, right)
    else:
        permissions.require(user, right, row.course)
    return row


def find_invitation(user: User, pk: int) -> models.Invitation:
    """Return an invitation; this takes the right to manage its course."""
    return _find_managed(models.Invitation.objects.all(), user, pk)


def find_group(user: User, pk: int) -> models.CampusGroup:
    """Return a campus group of a course; this takes the right to manage the course."""
    return _find_managed(models.CampusGroup.objects.all(), user, pk)


def _find_managed(rows: QuerySet[InCourse], user: User, pk: int) -> InCourse:
    rows = rows.filter(course__in=permissions.visible_courses(user)).select_related("course__owner")
    row = get_object_or_404(rows, pk=pk)
    permissions.require(user, Right.MANAGE, row.course)
    return row


def _is_valid() -> Q:
    """Return the condition for invitations whose maker may still invite, or had stated a reason for them."""
    stated = models.StatedReason.objects.filter(
        course=OuterRef("course"),
        user=OuterRef("invited_by"),
        user__is_staff=True,
        user__is_active=True,
        created__lte=OuterRef("created"),
        expires__gt=OuterRef("created"),
    )
    may_invite = permissions.still_has(Right.INVITE, "invited_by", "course") | Q(Exists(stated))
    return Q(may_invite, expires__gt=timezone.now())


def invitations_of_the_last_hour(user: User) -> int:
    """Return how many invitations a user made, with those that were accepted or withdrawn since."""
    since = timezone.now() - timedelta(hours=1)
    invitations = models.AuditEntry.objects.filter(created__gt=since, page__in=("people", "api_invitations"))
    return invitations.filter(who=user.get_username()).count()


def open_invitation(pk: int, created: str) -> models.Invitation:
    """Return an invitation that is still valid, by what its link says of it.

    Raises Http404 when it was accepted, withdrawn or has expired, or who made it may not invite any more.
    """
    valid = models.Invitation.objects.filter(_is_valid(), pk=pk)
    row = valid.select_related("course__owner", "invited_by").first()
    if not row or f"{row.created:%y%m%d%H%M%S%f}" != created:
        raise Http404("No such invitation.")
    return row


def administered_courses() -> QuerySet[AdministeredCourse]:
    """Return all courses with figures, by name: of their content only numbers."""
    submissions = models.Submission.objects.filter(batch__assignment__course=OuterRef("pk"), origin=None)
    counted = submissions.order_by().values("batch__assignment__course").annotate(n=Count("pk")).values("n")
    members = models.Membership.objects.filter(course=OuterRef("pk")).order_by().values("course")
    uploads = models.Batch.objects.filter(assignment__course=OuterRef("pk")).order_by().values("assignment__course")
    return (
        models.Course.objects.select_related("owner")
        .annotate(
            assignment_count=Count("assignments"),
            submission_count=Coalesce(Subquery(counted), 0),
            people_count=Coalesce(Subquery(members.annotate(n=Count("pk")).values("n")), 0) + 1,
            last_upload=Subquery(uploads.annotate(last=Max("created")).values("last")),
        )
        .order_by("name", "pk")
    )


class AssignmentRoster(NamedTuple):
    """The students of a roster in one assignment.

    `present`: number of students in the roster who handed in; `unknown`: the others who handed in, as their
    platform names them; `absent`: students in the roster who did not. Both lists are cut, and counted whole.
    """

    assignment: models.Assignment
    present: int
    unknown: list[str]
    unknown_count: int
    absent: list[str]
    absent_count: int


def roster_of(course: models.Course) -> models.CourseRoster | None:
    """Return the roster of a course with `student_count`, `section_count` and `team_count`, or None."""
    team = Concat("students__section", Value("/"), "students__team", output_field=TextField())
    counted = models.CourseRoster.objects.filter(course=course).annotate(
        student_count=Count("students"),
        section_count=Count("students__section", distinct=True, filter=~Q(students__section="")),
        team_count=Count(Lower(team), distinct=True, filter=~Q(students__team="")),
    )
    return counted.first()


def roster_size(course: models.Course) -> int:
    """Return the number of students in the roster of a course; 0 without one."""
    return models.EnrolledStudent.objects.filter(roster__course=course).count()


def roster_students(roster: models.CourseRoster) -> QuerySet[models.EnrolledStudent]:
    """Return the students of a roster, by name."""
    return roster.students.order_by("name", "login", "identifier", "pk")


def roster_by_assignment(course: models.Course, roster: models.CourseRoster) -> list[AssignmentRoster]:
    """Return how the roster fits each assignment of a course with a submission of the class."""
    enrolled = {student.pk: str(student) for student in roster_students(roster)}
    rows = models.SubmissionStudent.objects.filter(
        submission__batch__assignment__course=course, submission__batch__role=models.Batch.Role.CLASS
    )
    matched: dict[int, set[int]] = defaultdict(set)
    unknown: dict[int, set[str]] = defaultdict(set)
    columns = ("submission__batch__assignment", "enrolled", "name", "identifier")
    for assignment, student, name, identifier in rows.order_by().values_list(*columns):
        if student:
            matched[assignment].add(student)
        else:
            unknown[assignment].add(f"{name} ({identifier})" if identifier not in {"", name} else name)
    return [
        _fit(assignment, enrolled, matched[assignment.pk], unknown[assignment.pk])
        for assignment in course.assignments.all()
        if matched[assignment.pk] or unknown[assignment.pk]
    ]


def _fit(
    assignment: models.Assignment, enrolled: dict[int, str], matched: set[int], unknown: set[str]
) -> AssignmentRoster:
    absent = [name for pk, name in enrolled.items() if pk not in matched]
    listed = sorted(unknown, key=str.casefold)[:MAX_LISTED]
    return AssignmentRoster(assignment, len(matched), listed, len(unknown), absent[:MAX_LISTED], len(absent))


class ArchiveSize(NamedTuple):
    """Numbers of the archive; an assignment counts if it has submissions. `terms` are sorted."""

    courses: int
    assignments: int
    submissions: int
    terms: list[str]


class LanguageCount(NamedTuple):
    """The submissions that have a file in a language, by the name of its front-end."""

    language: str
    submissions: int


def archive_size() -> ArchiveSize:
    """Return how much the department's archive holds, for administrators."""
    archived = models.Assignment.objects.filter(course__in_archive=True)
    with_work = list(newest_submissions(archived).values_list("batch__assignment_id", flat=True))
    assignments = models.Assignment.objects.in_bulk(set(with_work))
    courses = models.Course.objects.filter(in_archive=True).count()
    terms = sorted({one.shown_term for one in assignments.values()})
    return ArchiveSize(courses, len(assignments), len(with_work), terms)


def archive_languages(assignment: models.Assignment) -> list[LanguageCount]:
    """Return the submissions of other courses that the archive has for an assignment, most frequent first.

    A submission in several languages counts for each of them.
    """
    newest = newest_submissions(archived_assignments(assignment))
    ready = models.SubmissionFile.objects.filter(submission__in=newest, document__state=models.Document.State.READY)
    languages = ready.order_by().values_list("document__language")
    rows = [LanguageCount(*row) for row in languages.annotate(n=Count("submission", distinct=True))]
    return sorted(rows, key=lambda row: (-row.submissions, row.language))


class CourseAssignment(NamedTuple):
    """An assignment of a course; `report` is its newest finished one, with these numbers of cases."""

    assignment: ListedAssignment
    report: models.Report | None
    cases: int
    undecided: int


class PairSide(NamedTuple):
    pk: int
    name: str


class PairMeeting(NamedTuple):
    """The pair of two submissions in one assignment."""

    assignment: models.Assignment
    left: PairSide
    right: PairSide
    similarity: float


class RecurringPair(NamedTuple):
    """Two students whose pairs reach the threshold in several assignments, in the order of the assignments.

    `known_by` is what recognises them from one assignment to the next, the strongest first.
    """

    left: str
    right: str
    meetings: list[PairMeeting]
    known_by: list[KnownBy]


class CourseOverview(NamedTuple):
    assignments: list[CourseAssignment]
    recurring: list[RecurringPair]


def course_overview(course: models.Course, user: User) -> CourseOverview:
    """Return the assignments of a course in natural order, and the pairs of students that come back.

    Pairs that `user` may not read are not counted.
    """
    assignments = sorted(listed_assignments(course), key=lambda row: (natural_key(row.name), row.pk))
    newest = models.Report.objects.filter(assignment__course=course, state=models.Report.State.DONE)
    newest = newest.order_by("assignment_id", "-pk").distinct("assignment_id")
    reports = {report.assignment_id: report for report in newest.defer("duplicates")}
    kept = withheld_in_course(course, user)
    for row in assignments:
        if row.pk in reports:
            reports[row.pk].assignment = row
            row.withheld = kept.get(row.pk, row.withheld)
    pairs = _pairs_above(list(reports.values()))
    decisions, by_hand = _decisions(course), suspicion_counts(course, reports.values())
    rows = [
        _course_assignment(row, reports.get(row.pk), pairs.get(row.pk, []), decisions[row.pk]) for row in assignments
    ]
    rows = [row._replace(cases=row.cases + by_hand[row.assignment.pk]) for row in rows]
    return CourseOverview(rows, _recurring_pairs(rows, pairs))


def _pairs_above(reports: Sequence[models.Report]) -> dict[int, list[PairMeeting]]:
    """Return the pairs of reports that reach their threshold, by assignment, with one query."""
    above = Q(pk__in=[])
    for report in reports:
        reaching = Q(report=report, similarity__gte=threshold_of(report))
        kept = report.assignment.withheld
        above |= reaching & readable(kept) if kept.copies else reaching
    fields = ("report_id", "similarity", "left_id", "left__name", "right_id", "right__name")
    rows = models.Pair.objects.filter(above).order_by("pk").values_list(*fields)
    assignments = {report.pk: report.assignment for report in reports}
    by_assignment: dict[int, list[PairMeeting]] = {report.assignment_id: [] for report in reports}
    for report_id, similarity, left, left_name, right, right_name in rows:
        sides = PairSide(left, left_name), PairSide(right, right_name)
        by_assignment[assignments[report_id].pk].append(PairMeeting(assignments[report_id], *sides, similarity))
    return {pk: _without_mates(pairs) for pk, pairs in by_assignment.items()}


def _without_mates(pairs: list[PairMeeting]) -> list[PairMeeting]:
    """Leave out the pairs of one assignment that are of members of one team."""
    if not pairs:
        return []
    keys = compared_mates(pairs[0].assignment, {side.pk for pair in pairs for side in (pair.left, pair.right)})
    return [pair for pair in pairs if not are_mates(keys, pair.left.pk, pair.right.pk)]


def _decisions(course: models.Course) -> dict[int, Decisions]:
    known: dict[int, Decisions] = defaultdict(lambda: Decisions({}, {}))
    for member in models.CaseMember.objects.filter(assignment__course=course).select_related("decision"):
        known[member.assignment_id].by_name[member.name] = member.decision
    for decision in models.Decision.objects.filter(assignment__course=course):
        known[decision.assignment_id].of_pairs[decision.left, decision.right] = decision
    return known


def _course_assignment(
    assignment: ListedAssignment, report: models.Report | None, pairs: Sequence[PairMeeting], decisions: Decisions
) -> CourseAssignment:
    names = {one.pk: one.name for pair in pairs for one in (pair.left, pair.right)}
    stored = stored_cases(report, threshold_of(report)) if report else None
    components = stored or connected_components((pair.left.pk, pair.right.pk) for pair in pairs)
    cases = [[names[pk] for pk in ids if pk in names] for ids in components]
    decided = [decided_case(members, decisions).decision.state for members in cases if members]
    return CourseAssignment(assignment, report, len(decided), decided.count(models.Decision.State.UNDECIDED))


def _recurring_pairs(
    rows: Sequence[CourseAssignment], pairs: Mapping[int, Sequence[PairMeeting]]
) -> list[RecurringPair]:
    """Return the pairs of students that reach the threshold in several assignments, most of them first."""
    if sum(map(bool, pairs.values())) < MIN_ASSIGNMENTS:
        return []
    ids = {side.pk for by_assignment in pairs.values() for pair in by_assignment for side in (pair.left, pair.right)}
    students = student_keys(models.Submission.objects.filter(pk__in=ids, batch__role=models.Batch.Role.CLASS))
    meetings: dict[frozenset[Key], dict[int, PairMeeting]] = defaultdict(dict)
    known: dict[Key, set[KnownStudent]] = defaultdict(set)
    for row in rows:
        for pair in pairs.get(row.assignment.pk, []):
            left, right = students.get(pair.left.pk, {}), students.get(pair.right.pk, {})
            for key, student in (*left.items(), *right.items()):
                known[key].add(student)
            for both in product(left, right):
                # Of several uploads of one assignment, the strongest pair counts.
                stored = meetings[frozenset(both)].setdefault(row.assignment.pk, pair)
                if stored.similarity < pair.similarity:
                    meetings[frozenset(both)][row.assignment.pk] = pair
    recurring = []
    for students_of_pair, by_assignment in meetings.items():
        if len(students_of_pair) == 2 and len(by_assignment) >= MIN_ASSIGNMENTS:  # noqa: PLR2004 - a pair
            names = (min(student.name for student in known[key]) for key in students_of_pair)
            used = {student.by for key in students_of_pair for student in known[key]}
            left_name, right_name = sorted(names, key=str.casefold)
            known_by = [by for by in KnownBy if by in used]
            recurring.append(RecurringPair(left_name, right_name, list(by_assignment.values()), known_by))
    return sorted(
        recurring, key=lambda pair: (-len(pair.meetings), -max(one.similarity for one in pair.meetings), pair.left)
    )
