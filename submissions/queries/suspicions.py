"""Pairs that somebody suspects although the report does not list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Exists, OuterRef

from submissions.models import Decision
from submissions.queries.decisions import readable_decisions
from submissions.queries.submissions import ranked_ids
from submissions.queries.withheld import readable_pairs

if TYPE_CHECKING:
    from submissions.models import Report
    from submissions.pseudonyms.names import Names

SUSPECTED = (Decision.State.SUSPICIOUS, Decision.State.CONFIRMED)


class Suspicion(NamedTuple):
    """A decision on two submissions of a report, in the order in which the reader sees them."""

    left: str
    right: str
    left_id: int
    right_id: int
    decision: Decision


def suspicions(report: Report, names: Names) -> list[Suspicion]:
    """Return the suspected and confirmed pairs of ranked submissions that the report does not list."""
    listed = readable_pairs(report).filter(left__name=OuterRef("left"), right__name=OuterRef("right"))
    stored = readable_decisions(report.assignment).filter(state__in=SUSPECTED)
    decisions = list(stored.exclude(Exists(listed)))
    suspected = {name for one in decisions for name in (one.left, one.right)}
    ids = ranked_ids(report, suspected) if suspected else {}
    rows = []
    for one in decisions:
        left, right = (one.left, one.right) if names.in_order(one.left, one.right) else (one.right, one.left)
        if left in ids and right in ids:
            rows.append(Suspicion(left, right, ids[left], ids[right], one))
    return sorted(rows, key=lambda row: [names.display_name(row.left), names.display_name(row.right)])
