"""What a report's pages show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, F, Q

from submissions.models import Assignment, Pair, Report, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet

SORT_FIELDS = {
    "left": "left__name",
    "right": "right__name",
    "similarity": "similarity",
    "left_share": "left_share",
    "right_share": "right_share",
    "tokens": "tokens",
    "lines": "lines",
    "longest": "longest",
}


@dataclass(frozen=True, slots=True)
class ReportState:
    """`shown`: newest finished report; `pending`: a newer one is coming; `failed`: the newer one that did."""

    shown: Report | None
    pending: bool
    failed: Report | None


def report_state(of: Assignment) -> ReportState:
    done = of.reports.filter(state=Report.State.DONE)
    shown = done.annotate(cohort_size=Count("submissions")).order_by("-pk").first()
    latest = of.reports.first()
    if latest and of.boilerplate.filter(created__gt=latest.created).exists():
        # Its report is made once a worker has read it.
        return ReportState(shown, pending=True, failed=None)
    failed = latest if latest and latest.state == Report.State.FAILED else None
    return ReportState(shown, pending=latest is not None and latest != shown and not failed, failed=failed)


class ShownGroup(NamedTuple):
    """Submissions of a report that belong together, by name; `about` says why."""

    about: str
    submissions: list[Submission]


SAMENESS = {
    "identical": "the same bytes",
    "lexical": "the same but for comments, layout, names and values",
    "fingerprints": "the same fingerprints",
}


def shown_groups(report: Report) -> tuple[list[ShownGroup], list[ShownGroup]]:
    """Give groups of submissions that are the same, and clusters from the suggested threshold on."""
    wanted = {pk for group in report.same for pk in group["submissions"]}
    wanted |= {pk for cluster in report.clusters for pk in cluster}
    found = Submission.objects.in_bulk(wanted)

    def named(ids: list[int]) -> list[Submission]:
        return [found[pk] for pk in ids if pk in found]

    same = [ShownGroup(SAMENESS[group["sameness"]], named(group["submissions"])) for group in report.same]
    return same, [ShownGroup("", named(cluster)) for cluster in report.clusters]


@dataclass(frozen=True, slots=True)
class PairFilter:
    """What of a report to list: every word of `text` in one of the names; `minimum` in [0, 1]."""

    text: str = ""
    minimum: float = 0.0
    sort: str = "-similarity"


def ranked_pairs(report: Report, chosen: PairFilter) -> QuerySet[Pair]:
    """Pairs with both submissions, without their passages."""
    pairs = report.pairs.select_related("left", "right").defer("passages")
    if chosen.minimum > 0:
        pairs = pairs.filter(similarity__gte=chosen.minimum)
    for word in chosen.text.split():
        pairs = pairs.filter(Q(left__name__icontains=word) | Q(right__name__icontains=word))
    field = F(SORT_FIELDS[chosen.sort.removeprefix("-")])
    first = field.desc() if chosen.sort.startswith("-") else field.asc()
    return pairs.order_by(first, "-similarity", "-tokens", "pk")
