"""What a report's pages show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from django.db.models import Count, F, OuterRef, Q, Subquery

from submissions.models import Alias, Assignment, Report
from submissions.queries.decisions import Decided, with_decisions
from submissions.queries.flags import Times, flagged, with_times
from submissions.queries.submissions import submissions_by_id

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Pair, Submission
    from submissions.pseudonyms.names import Names

    ListedPair = WithAnnotations[Pair, "Listed"]


class Listed(Times, Decided):
    """What a list of pairs reads beside the pairs."""


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
    """`shown`: newest finished report; `pending`: a newer one is coming; `failed`: the newer one that did.

    `cancelled`: the newer one was.
    """

    shown: Report | None
    pending: bool
    failed: Report | None
    cancelled: bool = False


def report_state(of: Assignment) -> ReportState:
    done = of.reports.filter(state=Report.State.DONE)
    shown = done.annotate(cohort_size=Count("submissions")).order_by("-pk").first()
    latest = of.reports.first()
    if latest and of.boilerplate.filter(created__gt=latest.created).exists():
        # Its report is made once a worker has read it.
        return ReportState(shown, pending=True, failed=None)
    failed = latest if latest and latest.state == Report.State.FAILED else None
    cancelled = latest is not None and latest.state == Report.State.CANCELLED
    pending = latest is not None and latest.state in Report.UNFINISHED
    return ReportState(shown, pending, failed, cancelled)


class ShownGroup(NamedTuple):
    """Submissions of a report that are the same; `about` says in which sense."""

    about: str
    submissions: list[Submission]


SAMENESS = {
    "identical": "the same bytes",
    "lexical": "the same but for comments, layout, names and values",
    "fingerprints": "the same fingerprints",
}


def same_groups(report: Report, names: Names) -> list[ShownGroup]:
    """Give the groups of submissions that are the same, largest first, each in the order of what is read."""
    found = submissions_by_id(pk for group in report.duplicates for pk in group.submissions)
    groups = [
        ShownGroup(
            SAMENESS[group.sameness],
            sorted(
                (found[pk] for pk in group.submissions if pk in found), key=lambda one: names.of(one.name)
            ),
        )
        for group in report.duplicates
    ]
    return sorted(groups, key=lambda group: -len(group.submissions))


@dataclass(frozen=True, slots=True)
class PairFilter:
    """What of a report to list.

    Every word of `text` in one of the names; from `minimum` in [0, 1] on; with the `decision` and the `flag`
    (one of `FLAGS`), where there is one.
    """

    text: str = ""
    minimum: float = 0.0
    sort: str = "-similarity"
    decision: str = ""
    flag: str = ""

    @property
    def narrows(self) -> bool:
        """Whether any pair could be left out."""
        return bool(self.text or self.minimum or self.decision or self.flag)


def line_of(report: Report, chosen: PairFilter) -> float:
    """Give the similarity from which on pairs stand out: the one asked for, or else the suggested one."""
    return chosen.minimum or float(report.parameters["threshold"]["value"])


def ranked_pairs(report: Report, chosen: PairFilter, names: Names | None = None) -> QuerySet[ListedPair]:
    """Pairs with both submissions, their times and their decision, without their passages."""
    return ranked(passing(report, chosen, names), chosen, names)


def ranked(
    pairs: QuerySet[ListedPair], chosen: PairFilter, names: Names | None = None
) -> QuerySet[ListedPair]:
    """List those of `passing` pairs that were decided as asked for, in the order asked for."""
    pairs = pairs.select_related("left", "right").defer("passages")
    if chosen.decision:
        pairs = pairs.filter(decision=chosen.decision)
    key = chosen.sort.removeprefix("-")
    field = _alias_of(key) if key in {"left", "right"} and names and names.hidden else F(SORT_FIELDS[key])
    first = field.desc() if chosen.sort.startswith("-") else field.asc()
    return pairs.order_by(first, "-similarity", "-tokens", "pk")


def _alias_of(side: str) -> Subquery:
    """Give the made-up name of a side of a pair: sorted by their real ones, made-up names would be told."""
    called = Alias.objects.filter(assignment=OuterRef("report__assignment"), name=OuterRef(f"{side}__name"))
    return Subquery(called.values("alias"))


class Tally(NamedTuple):
    """How many pairs there are of each decision, and how many of those stand out."""

    listed: dict[str, int]
    standing: dict[str, int]


def tally(pairs: QuerySet[ListedPair], line: float) -> Tally:
    """Count pairs by decision, and those from `line` on."""
    above = Count("pk", filter=Q(similarity__gte=line))
    counted = pairs.order_by().values("decision").annotate(n=Count("pk"), above=above)
    rows = list(counted.values_list("decision", "n", "above"))
    return Tally({row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows})


def passing(report: Report, chosen: PairFilter, names: Names | None = None) -> QuerySet[ListedPair]:
    """Pairs that pass a filter, whatever was decided of them."""
    pairs = with_times(with_decisions(report.pairs.all()))
    if chosen.minimum > 0:
        pairs = pairs.filter(similarity__gte=chosen.minimum)
    if chosen.flag:
        pairs = pairs.filter(pk__in=flagged(report, chosen.flag))
    for ids in _called(report, chosen.text, names):
        pairs = pairs.filter(Q(left__in=ids) | Q(right__in=ids))
    return cast("QuerySet[ListedPair]", pairs)


def _called(report: Report, text: str, names: Names | None) -> list[list[int]]:
    """Give for every word of `text` the submissions whose name, as it is read, holds it."""
    words = [word.casefold() for word in text.split()]
    everybody = report.submissions.values_list("pk", "name") if words else ()
    read = [(pk, (names.of(name) if names else name).casefold()) for pk, name in everybody]
    return [[pk for pk, name in read if word in name] for word in words]
