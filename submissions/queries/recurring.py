"""The assignments of a course together: their state, cases, and the pairs of students that come back."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q

from submissions.comparison.components import connected_components
from submissions.comparison.orders import natural_key
from submissions.mates import KnownBy, are_mates, compared_mates, student_keys
from submissions.models import Batch, CaseMember, Decision, Pair, Report, Submission
from submissions.queries.cases import decided_case, stored_cases
from submissions.queries.lists import listed_assignments
from submissions.queries.pairs import threshold_of
from submissions.queries.suspicions import suspicion_counts
from submissions.queries.withheld import readable, readable_pairs, withheld_in_course, withhold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.auth.models import User

    from submissions.comparison.mates import Key
    from submissions.mates import KnownStudent
    from submissions.models import Assignment, CaseDecision, Course
    from submissions.models.courses import Withheld
    from submissions.queries.lists import ListedAssignment

# A pair of students comes back if it stands out in so many assignments.
MIN_ASSIGNMENTS = 2


class CourseAssignment(NamedTuple):
    """An assignment of a course; `report` is its newest finished one, with these numbers of cases."""

    assignment: ListedAssignment
    report: Report | None
    cases: int
    undecided: int


class PairMeeting(NamedTuple):
    """The pair of two students in one assignment."""

    assignment: Assignment
    left: Submission
    right: Submission
    similarity: float


class RecurringPair(NamedTuple):
    """Two students whose pairs stand out in several assignments, in the order of the assignments.

    `known_by` is what recognises them from one assignment to the next, the strongest first.
    """

    left: str
    right: str
    meetings: list[PairMeeting]
    known_by: list[KnownBy]


class CourseOverview(NamedTuple):
    assignments: list[CourseAssignment]
    recurring: list[RecurringPair]


def course_overview(course: Course, user: User) -> CourseOverview:
    """Return the assignments of a course in natural order, and the pairs of students that come back.

    Pairs that `user` may not read are not counted.
    """
    assignments = sorted(listed_assignments(course), key=lambda row: (natural_key(row.name), row.pk))
    newest = Report.objects.filter(assignment__course=course, state=Report.State.DONE)
    newest = newest.order_by("assignment_id", "-pk").distinct("assignment_id").select_related("assignment")
    reports = {report.assignment_id: report for report in newest.defer("duplicates")}
    _withhold(rows=assignments, reports=reports, kept=withheld_in_course(course, user))
    pairs = _pairs_above(list(reports.values()))
    decisions, by_hand = _case_decisions(course), suspicion_counts(course, reports.values())
    rows = [
        _course_assignment(row, reports.get(row.pk), pairs.get(row.pk, []), decisions.get(row.pk, {}))
        for row in assignments
    ]
    rows = [row._replace(cases=row.cases + by_hand[row.assignment.pk]) for row in rows]
    return CourseOverview(rows, _recurring_pairs(rows, pairs))


def _withhold(
    rows: Sequence[ListedAssignment], reports: Mapping[int, Report], kept: Mapping[int, Withheld]
) -> None:
    for row in rows:
        report = reports.get(row.pk)
        if report and row.pk in kept:
            report.assignment.withheld = kept[row.pk]
            row.pair_count = readable_pairs(withhold(report)).count()


def _pairs_above(reports: Sequence[Report]) -> dict[int, list[Pair]]:
    """Return the pairs of reports that stand out, by assignment, with one query."""
    above = Q(pk__in=[])
    for report in reports:
        stands_out = Q(report=report, similarity__gte=threshold_of(report))
        kept = report.assignment.withheld
        above |= stands_out & readable(kept) if kept.copies else stands_out
    fields = ("report_id", "similarity", "left_id", "left__name", "right_id", "right__name")
    by_report: dict[int, list[Pair]] = defaultdict(list)
    for pair in Pair.objects.filter(above).select_related("left", "right").only(*fields).order_by("pk"):
        by_report[pair.report_id].append(pair)
    pairs: dict[int, list[Pair]] = {}
    for report in reports:
        of_report = by_report[report.pk]
        keys = compared_mates(
            report.assignment, {pk for pair in of_report for pk in (pair.left_id, pair.right_id)}
        )
        pairs[report.assignment_id] = [
            pair for pair in of_report if not are_mates(keys, pair.left_id, pair.right_id)
        ]
    return pairs


def _case_decisions(course: Course) -> dict[int, dict[str, CaseDecision]]:
    members = CaseMember.objects.filter(assignment__course=course).select_related("decision__assignee")
    decisions: dict[int, dict[str, CaseDecision]] = defaultdict(dict)
    for member in members:
        decisions[member.assignment_id][member.name] = member.decision
    return decisions


def _course_assignment(
    assignment: ListedAssignment,
    report: Report | None,
    pairs: Sequence[Pair],
    decisions: Mapping[str, CaseDecision],
) -> CourseAssignment:
    names = {one.pk: one.name for pair in pairs for one in (pair.left, pair.right)}
    stored = stored_cases(report, threshold_of(report)) if report else None
    components = stored or connected_components((pair.left_id, pair.right_id) for pair in pairs)
    cases = [[names[pk] for pk in ids if pk in names] for ids in components]
    decided = [decided_case(members, decisions).decision.state for members in cases if members]
    return CourseAssignment(assignment, report, len(decided), decided.count(Decision.State.UNDECIDED))


def _recurring_pairs(
    rows: Sequence[CourseAssignment], pairs: Mapping[int, Sequence[Pair]]
) -> list[RecurringPair]:
    """Return the pairs of students of the class that stand out in several assignments, most of them first."""
    ids = {
        one
        for by_assignment in pairs.values()
        for pair in by_assignment
        for one in (pair.left_id, pair.right_id)
    }
    students = student_keys(Submission.objects.filter(pk__in=ids, batch__role=Batch.Role.CLASS))
    meetings: dict[frozenset[Key], dict[int, PairMeeting]] = defaultdict(dict)
    known: dict[Key, set[KnownStudent]] = defaultdict(set)
    for row in rows:
        for pair in pairs.get(row.assignment.pk, []):
            left, right = students.get(pair.left_id, {}), students.get(pair.right_id, {})
            for key, student in (*left.items(), *right.items()):
                known[key].add(student)
            meeting = PairMeeting(row.assignment, pair.left, pair.right, pair.similarity)
            for both in product(left, right):
                # Of several uploads of one assignment, the strongest pair counts.
                stored = meetings[frozenset(both)].setdefault(row.assignment.pk, meeting)
                if stored.similarity < meeting.similarity:
                    meetings[frozenset(both)][row.assignment.pk] = meeting
    recurring = []
    for students_of_pair, by_assignment in meetings.items():
        if len(students_of_pair) == 2 and len(by_assignment) >= MIN_ASSIGNMENTS:  # noqa: PLR2004 - a pair
            names = (min(student.name for student in known[key]) for key in students_of_pair)
            used = {student.by for key in students_of_pair for student in known[key]}
            left_name, right_name = sorted(names, key=str.casefold)
            known_by = [by for by in KnownBy if by in used]
            recurring.append(RecurringPair(left_name, right_name, list(by_assignment.values()), known_by))
    return sorted(
        recurring,
        key=lambda pair: (-len(pair.meetings), -max(one.similarity for one in pair.meetings), pair.left),
    )
