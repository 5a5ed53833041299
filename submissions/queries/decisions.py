"""Decisions on pairs, and the undecided pairs and cases, by whom they are assigned to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404

from submissions.models import Assignment, CaseDecision, Decision
from submissions.permissions import Right, courses_with, people_with
from submissions.queries.withheld import all_submissions, readable_pairs, withheld_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Change, Course, Pair, Report
    from submissions.pseudonyms.names import Names

    DecidedPair = WithAnnotations[Pair, "DecisionAnnotation"]

UNDECIDED = Decision.State.UNDECIDED


class DecisionAnnotation(TypedDict):
    decision: str


class PairNames(NamedTuple):
    """The names of a pair, `left` sorted before `right`, and the primary keys of the submissions."""

    left: str
    right: str
    left_id: int
    right_id: int

    @classmethod
    def from_pair(cls, pair: Pair) -> Self:
        """Return the names of a pair that was fetched with both submissions."""
        return cls(pair.left.name, pair.right.name, pair.left_id, pair.right_id)

    def displayed(self, names: Names) -> PairNames:
        """Return the pair in the order in which a reader sees it."""
        if names.in_order(self.left, self.right):
            return self
        return PairNames(self.right, self.left, self.right_id, self.left_id)


def pair_names(assignment: Assignment, left_id: int, right_id: int) -> PairNames:
    """Return the names of two submissions of an assignment, sorted as in pairs.

    Raises
    ------
    Http404
        When these are not two submissions of the assignment with different names.
    """
    both = all_submissions(assignment).filter(pk__in=(left_id, right_id))
    rows = sorted(both.order_by().values_list("name", "pk"))
    if len(dict(rows)) != 2:  # noqa: PLR2004 - a pair
        raise Http404("No such pair.")
    (left, left_pk), (right, right_pk) = rows
    return PairNames(left, right, left_pk, right_pk)


def stored_decisions(assignment: Assignment) -> dict[tuple[str, str], Decision]:
    """Return all stored decisions of an assignment by the names of the pair, (left, right)."""
    rows = readable_decisions(assignment).select_related("assignee")
    return {(row.left, row.right): row for row in rows}


def readable_decisions(assignment: Assignment) -> QuerySet[Decision]:
    """Return the stored decisions on pairs of which the reader of an assignment may see both sides."""
    hidden = withheld_names(assignment)
    stored = assignment.decisions.all()
    return stored.exclude(Q(left__in=hidden) | Q(right__in=hidden)) if hidden else stored


def with_decisions(pairs: QuerySet[Pair]) -> QuerySet[DecidedPair]:
    """Add `decision`, the state of each pair's decision.

    A pair that was not decided itself follows the decision on the case in which both submissions were; else
    it is undecided.
    """
    assignment = OuterRef("report__assignment")
    names = {"left": OuterRef("left__name"), "right": OuterRef("right__name")}
    of_pair = Decision.objects.filter(assignment=assignment, **names).exclude(state=UNDECIDED)
    # Two joins: one for each member.
    case = CaseDecision.objects.filter(assignment=assignment, threshold__lte=OuterRef("similarity"))
    for name in names.values():
        case = case.filter(members__name=name)
    states = (Subquery(decided.values("state")[:1]) for decided in (of_pair, case))
    return pairs.annotate(decision=Coalesce(*states, Value(UNDECIDED.value)))


def decided_pairs(report: Report) -> list[tuple[int, float, str]]:
    """Return the primary key, similarity and state of the pairs of a report that are not undecided."""
    decided = with_decisions(readable_pairs(report)).exclude(decision=UNDECIDED).order_by()
    return list(decided.values_list("pk", "similarity", "decision"))


def find_decision(assignment: Assignment, names: PairNames) -> Decision:
    """Return the decision on a pair, or a new unsaved one when none is stored."""
    rows = assignment.decisions.select_related("assignee")
    stored = rows.filter(left=names.left, right=names.right).first()
    return stored or Decision(assignment=assignment, left=names.left, right=names.right)


def decision_history(decision: Decision) -> list[Change]:
    """Return the changes of a decision, newest first."""
    return list(decision.changes.all()) if decision.pk else []


def possible_assignees(
    assignment: Assignment, decision: Decision | CaseDecision | None = None
) -> QuerySet[User]:
    """Return the users to whom a pair can be assigned: who may decide, and the current assignee."""
    allowed = people_with(Right.DECIDE, assignment.course)
    current = Q(pk=decision.assignee_id) if decision and decision.assignee_id else Q(pk=None)
    return User.objects.filter((allowed & Q(is_active=True)) | current).order_by("username")


def next_undecided(report: Report, threshold: float, after: Pair | None = None) -> Pair | None:
    """Return the next undecided pair to review, or None.

    Pairs at or above `threshold` come first, then the others, each most similar first. `after` is the pair
    that was reviewed last: pairs that rank after it come before pairs that rank before it.
    """
    undecided = with_decisions(readable_pairs(report).defer("passages")).filter(decision=UNDECIDED)
    above, below = Q(similarity__gte=threshold), Q(similarity__lt=threshold)
    if not after:
        return undecided.first()
    later, earlier = _ranked_after(after), ~_ranked_after(after) & ~Q(pk=after.pk)
    choices = (above & later, above & earlier, below & later, below & earlier)
    return next((pair for choice in choices if (pair := undecided.filter(choice).first())), None)


def next_in_list(rows: Sequence[tuple[int, str]], after: int | None) -> int | None:
    """Return the first undecided pair of a list after the pair `after`, then from the start, or None.

    `rows` are primary keys and decisions in the order of the list.
    """
    keys = [pk for pk, _ in rows]
    start = keys.index(after) + 1 if after in keys else 0
    in_order = (*rows[start:], *rows[:start])
    return next((pk for pk, decision in in_order if decision == UNDECIDED and pk != after), None)


def _ranked_after(pair: Pair) -> Q:
    """Select the pairs that rank after `pair`: by similarity, then number of tokens, then primary key."""
    equal = Q(similarity=pair.similarity)
    fewer = Q(tokens__lt=pair.tokens) | Q(tokens=pair.tokens, pk__gt=pair.pk)
    return Q(similarity__lt=pair.similarity) | (equal & fewer)


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
