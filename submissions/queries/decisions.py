"""What was decided of pairs, and what is left to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from submissions.models import Decision

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Assignment, Pair

    DecidedPair = WithAnnotations[Pair, "Decided"]

UNDECIDED = Decision.State.UNDECIDED


class Decided(TypedDict):
    decision: str


def decisions(of: Assignment) -> dict[tuple[str, str], Decision]:
    """Give every decision of an assignment by the names of its pair, left before right."""
    rows = of.decisions.select_related("assignee")
    return {(row.left, row.right): row for row in rows}


def with_decisions(pairs: QuerySet[Pair]) -> QuerySet[DecidedPair]:
    """Add `decision`, the state of each pair; one that nobody has touched is undecided."""
    made = Decision.objects.filter(
        assignment=OuterRef("report__assignment"), left=OuterRef("left__name"), right=OuterRef("right__name")
    )
    return pairs.annotate(decision=Coalesce(Subquery(made.values("state")), Value(UNDECIDED.value)))
