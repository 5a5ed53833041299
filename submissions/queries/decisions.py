"""What was decided of pairs, and what is left to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404

from submissions.models import Decision, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Assignment, Change, Pair, Report

    DecidedPair = WithAnnotations[Pair, "Decided"]

UNDECIDED = Decision.State.UNDECIDED


class Decided(TypedDict):
    decision: str


class PairNames(NamedTuple):
    """The names of a pair, in the order in which pairs have them, and the submissions they were read from."""

    left: str
    right: str
    left_id: int
    right_id: int

    @classmethod
    def of(cls, pair: Pair) -> Self:
        """Give those of a pair that was read with its submissions."""
        return cls(pair.left.name, pair.right.name, pair.left_id, pair.right_id)


def pair_names(of: Assignment, left_id: int, right_id: int) -> PairNames:
    """Give the names of two submissions in the order in which pairs have them, or raise Http404."""
    mine = Submission.objects.filter(batch__assignment=of, pk__in=(left_id, right_id))
    # The database sorts names for the ranking as well.
    found = list(mine.order_by("name", "pk").values_list("name", "pk"))
    if len(dict(found)) != 2:  # noqa: PLR2004 - a pair
        raise Http404("No such pair.")
    (left, left_pk), (right, right_pk) = found
    return PairNames(left, right, left_pk, right_pk)


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


def decision(of: Assignment, names: PairNames) -> Decision:
    """Give what was decided of a pair; of one that nobody has touched, a decision that is not kept yet."""
    kept = of.decisions.select_related("assignee").filter(left=names.left, right=names.right).first()
    return kept or Decision(assignment=of, left=names.left, right=names.right)


def history(made: Decision) -> list[Change]:
    """Give the changes of a decision, newest first."""
    return list(made.changes.all()) if made.pk else []


def possible_assignees(of: Assignment, made: Decision | None = None) -> QuerySet[User]:
    """List who may be given a pair: the course's owner, staff, and whoever has it now."""
    may = Q(pk=of.course.owner_id) | Q(is_staff=True)
    now = Q(pk=made.assignee_id) if made and made.assignee_id else Q(pk=None)
    return User.objects.filter((may & Q(is_active=True)) | now).order_by("username")


def next_undecided(report: Report, line: float, after: Pair | None = None) -> Pair | None:
    """Give the undecided pair to look at next: from the line on first, most similar first.

    `after` is the pair that was looked at last: those that rank behind it come before those that were
    passed over.
    """
    open_pairs = with_decisions(report.pairs.defer("passages")).filter(decision=UNDECIDED)
    above, below = Q(similarity__gte=line), Q(similarity__lt=line)
    if not after:
        return open_pairs.first()
    behind, passed = _behind(after), ~_behind(after) & ~Q(pk=after.pk)
    choices = (above & behind, above & passed, below & behind, below & passed)
    return next((found for choice in choices if (found := open_pairs.filter(choice).first())), None)


def _behind(pair: Pair) -> Q:
    """Select what the order of pairs, by similarity, tokens and age, has after a pair."""
    same = Q(similarity=pair.similarity)
    fewer = Q(tokens__lt=pair.tokens) | Q(tokens=pair.tokens, pk__gt=pair.pk)
    return Q(similarity__lt=pair.similarity) | (same & fewer)
