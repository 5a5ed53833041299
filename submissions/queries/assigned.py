"""Undecided cases and pairs that are assigned to somebody, by assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, Q

from submissions.models import Assignment, Decision
from submissions.permissions import Right, courses_with

if TYPE_CHECKING:
    from submissions.models import Course

OPEN = Decision.State.UNDECIDED


class Assigned(NamedTuple):
    """An assignment with the number of undecided cases, and of other undecided pairs, of one assignee."""

    assignment: Assignment
    cases: int
    pairs: int


def assignees(assignment: Assignment) -> list[str]:
    """Return the usernames of those to whom a case or a pair of an assignment is assigned."""
    cases = Q(pk__in=assignment.case_decisions.values("assignee"))
    pairs = Q(pk__in=assignment.decisions.values("assignee"))
    return list(User.objects.filter(cases | pairs).order_by("username").values_list("username", flat=True))


def assigned_to(user: User, course: Course | None = None) -> list[Assigned]:
    """Return what is assigned to a user who may decide it, in all courses or in one."""
    rows = Assignment.objects.filter(course__in=courses_with(user, Right.DECIDE)).select_related("course")
    if course is not None:
        rows = rows.filter(course=course)
    cases = Q(case_decisions__assignee=user, case_decisions__state=OPEN)
    pairs = Q(decisions__assignee=user, decisions__state=OPEN)
    counted = rows.annotate(
        cases=Count("case_decisions", filter=cases, distinct=True),
        pairs=Count("decisions", filter=pairs, distinct=True),
    )
    listed = counted.filter(Q(cases__gt=0) | Q(pairs__gt=0)).order_by("course__name", "name", "pk")
    return [Assigned(one, one.cases, one.pairs) for one in listed]
