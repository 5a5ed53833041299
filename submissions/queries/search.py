"""Terms in a search of pairs, all of which hold: `case:3 decided:no similarity>60 team:B assignee:tess`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.db.models import Exists, OuterRef, Q

from submissions.models import CaseDecision, Decision, Pair, Submission
from submissions.pseudonyms.names import search_terms
from submissions.queries.cases import cases_by_member
from submissions.queries.submissions import CAN_MAKE_CASE
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

    from submissions.models import Report
    from submissions.pseudonyms.names import Names

AnyPair = TypeVar("AnyPair", bound=Pair)

LOOKUPS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", ":": "gte"}
DECIDED = {"no": Q(decision=Decision.State.UNDECIDED), "yes": ~Q(decision=Decision.State.UNDECIDED)}
# Digits of the largest number that a term may have.
DIGITS = 6
NOTHING = Q(pk__in=[])


def with_terms(
    pairs: QuerySet[AnyPair], report: Report, text: str, threshold: float, names: Names | None
) -> QuerySet[AnyPair]:
    """Return those of `pairs`, which have their decision, for which each term of a search holds.

    No pair passes a term whose value is none of those that it can have. Cases are those at `threshold`.
    """
    for term in search_terms(text):
        if term.name == "similarity":
            pairs = pairs.filter(_similarity(term.operator, term.value))
        elif term.name == "case":
            pairs = pairs.filter(_case(report, term.value, threshold))
        else:
            pairs = pairs.filter(OTHERS[term.name](report, term.value, names))
    return pairs


def _similarity(operator: str, value: str) -> Q:
    number = value.removesuffix("%")
    if not _is_number(number):
        return NOTHING
    return Q(**{f"similarity__{LOOKUPS[operator]}": int(number) / 100})


def _case(report: Report, value: str, threshold: float) -> Q:
    members = {
        pk
        for pk, case in (cases_by_member(report, threshold) if _is_number(value) else {}).items()
        if case.number == int(value)
    }
    return CAN_MAKE_CASE & Q(left__in=members, right__in=members, similarity__gte=threshold)


def _decided(_report: Report, value: str, _names: Names | None) -> Q:
    states = {state.value: Q(decision=state) for state in Decision.State}
    return (DECIDED | states).get(value.lower(), NOTHING)


def _assignee(report: Report, value: str, _names: Names | None) -> Q:
    return is_assigned(report, value)


def is_assigned(report: Report, username: str) -> Q:
    """Return the condition for pairs that are assigned to somebody, themselves or with their case."""
    of_pair = Decision.objects.filter(
        assignment=report.assignment_id,
        left=OuterRef("left__name"),
        right=OuterRef("right__name"),
        assignee__username__iexact=username,
    )
    case = CaseDecision.objects.filter(
        assignment=report.assignment_id,
        assignee__username__iexact=username,
        threshold__lte=OuterRef("similarity"),
    )
    for side in ("left__name", "right__name"):
        case = case.filter(members__name=OuterRef(side))
    return Q(Exists(of_pair)) | Q(Exists(case))


def _team(report: Report, value: str, names: Names | None) -> Q:
    """Return the condition for pairs with a member of a team of the roster; a team says who an alias is."""
    if names and names.hidden:
        return NOTHING
    enrolled = Submission.objects.filter(students__enrolled__team__iexact=value)
    members = readable_submissions(report).filter(pk__in=enrolled.values("pk")).order_by().values("pk")
    return Q(left__in=members) | Q(right__in=members)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


OTHERS: dict[str, Callable[[Report, str, Names | None], Q]] = {
    "decided": _decided,
    "assignee": _assignee,
    "team": _team,
}
