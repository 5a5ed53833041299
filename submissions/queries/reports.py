"""The reports of an assignment, and the filtered and sorted pairs of a report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from django.db.models import Case, Count, Exists, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce, Greatest, Least
from django.db.models.lookups import LessThanOrEqual

from submissions.models import Assignment, Batch, Boilerplate, Report
from submissions.models.records import NotCompared
from submissions.pseudonyms.names import search_words
from submissions.queries.decisions import (
    DecisionAnnotation,
    next_in_list,
    next_undecided,
    with_decisions,
)
from submissions.queries.flags import TimeAnnotations, flagged_pair_ids, with_times
from submissions.queries.lists import alias_of
from submissions.queries.pairs import threshold_of
from submissions.queries.search import is_assigned, with_terms
from submissions.queries.submissions import submissions_by_id
from submissions.queries.withheld import readable_pairs, readable_submissions, withhold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Pair, Submission
    from submissions.pseudonyms.names import Names

    ListedPair = WithAnnotations[Pair, "PairAnnotations"]

DecidedPairs = TypeVar("DecidedPairs", bound="Pair")

_OF_CLASS = Q(left__batch__role=Batch.Role.CLASS, right__batch__role=Batch.Role.CLASS)
_WITH_MODEL = Q(with_model=True)
# The pairs of each value of the filter `work`.
OF_WORK = {"class": _OF_CLASS, "model": _WITH_MODEL, "earlier": ~_OF_CLASS & ~_WITH_MODEL}


class PairAnnotations(TimeAnnotations, DecisionAnnotation):
    """The annotations of a listed pair."""


SORT_FIELDS = {
    "left": "left__name",
    "right": "right__name",
    "similarity": "similarity",
    "left_share": "left_with_common",
    "right_share": "right_with_common",
    "tokens": "tokens",
    "lines": "lines",
    "longest": "longest",
}


@dataclass(frozen=True, slots=True)
class ReportState:
    """The state of an assignment's reports.

    `report`: the newest finished report; `pending`: a newer one is queued or running; `failed`: the newest
    report, if it failed; `cancelled`: the newest report was cancelled.
    """

    report: Report | None
    pending: bool
    failed: Report | None
    cancelled: bool = False

    @property
    def cohort_size(self) -> int:
        """Number of submissions of the finished report that its reader may see; 0 without one."""
        return self.report.cohort_size if self.report else 0  # type: ignore[attr-defined] # annotated


def report_state(assignment: Assignment) -> ReportState:
    """Return the state of an assignment's reports.

    The finished one is annotated with `cohort_size`; its findings and duplicates are fetched on first use.
    What the reader of the assignment may not see is left out of them.
    """
    later = Boilerplate.objects.filter(
        assignment=OuterRef("assignment"),
        created__gt=OuterRef("created"),
        assignment__batches__state__in=Batch.FULLY_READ,
    )
    ranked: QuerySet[Any] = (
        Report.submissions.through.objects.filter(report=OuterRef("pk")).order_by().values("report")
    )
    reports = assignment.reports.defer("findings", "duplicates").annotate(
        cohort_size=Coalesce(Subquery(ranked.annotate(n=Count("pk")).values("n")), 0),
        has_later_boilerplate=Exists(later),
    )
    latest = reports.first()
    is_done = latest is not None and latest.state == Report.State.DONE
    report = latest if is_done else reports.filter(state=Report.State.DONE).first()
    if report and assignment.withheld.batches:
        withhold(report)
        report.cohort_size = readable_submissions(report).count()
    if latest and latest.has_later_boilerplate:
        # A worker enqueues the next report after it has fingerprinted the new boilerplate.
        return ReportState(report, pending=True, failed=None)
    failed = latest if latest and latest.state == Report.State.FAILED else None
    cancelled = latest is not None and latest.state == Report.State.CANCELLED
    pending = latest is not None and latest.state in Report.UNFINISHED
    return ReportState(report, pending, failed, cancelled)


class ListedPairNotCompared(NamedTuple):
    """Two submissions that were not compared; `reason` is `student` or `team`."""

    left: Submission
    right: Submission
    reason: str


class ListedNotCompared(NamedTuple):
    """Submissions that a report did not compare with each other; see `records.NotCompared`."""

    students: int
    teams: int
    earlier: int
    models: int
    pairs: list[ListedPairNotCompared]

    @property
    def total(self) -> int:
        """Number of pairs of one student or one team."""
        return self.students + self.teams


def listed_not_compared(report: Report, names: Names) -> ListedNotCompared:
    """Return what was not compared, the pairs in the order of their displayed names."""
    stored = report.findings.not_compared if report.findings else NotCompared()
    submissions = submissions_by_id(pk for pair in stored.pairs for pk in (pair.left, pair.right))
    pairs = [
        ListedPairNotCompared(submissions[pair.left], submissions[pair.right], pair.reason)
        for pair in stored.pairs
        if pair.left in submissions and pair.right in submissions
    ]
    pairs.sort(key=lambda pair: sorted(names.display_name(side.name) for side in pair[:2]))
    return ListedNotCompared(stored.students, stored.teams, stored.earlier, stored.models, pairs)


@dataclass(frozen=True, slots=True)
class PairFilter:
    """The filter and the order of a report's list of pairs.

    text : words, each of which must occur in one of the two names
    threshold : lowest similarity in [0, 1]; 0 for none
    sort : a key of `SORT_FIELDS`, after a "-" for descending order
    decision : the state of the decision; "" for any
    flag : one of `FLAGS`; "" for any
    work : "class" for pairs within the class, "earlier" for those with earlier work, "model" for those with
        model solutions; "" for all
    assignee : the username of who is to decide; "" for any
    """

    text: str = ""
    threshold: float = 0.0
    sort: str = "-similarity"
    decision: str = ""
    flag: str = ""
    work: str = ""
    assignee: str = ""

    @property
    def narrows(self) -> bool:
        """True if the filter can exclude pairs."""
        return self != replace(PairFilter(), sort=self.sort)


def effective_threshold(report: Report, pair_filter: PairFilter) -> float:
    """Return the similarity from which on pairs stand out: the filter's, or else the report's."""
    return pair_filter.threshold or threshold_of(report)


def ranked_pairs(report: Report, pair_filter: PairFilter, names: Names | None = None) -> QuerySet[ListedPair]:
    """Return the pairs that pass a filter, in its order.

    They have both submissions, their times and their decision, but no passages.
    """
    return ordered_pairs(filtered_pairs(report, pair_filter, names), pair_filter, names)


def filtered_pairs(
    report: Report, pair_filter: PairFilter, names: Names | None = None
) -> QuerySet[ListedPair]:
    """Return the pairs that pass a filter, except its `decision`, which `ordered_pairs` applies."""
    pairs = with_times(with_decisions(readable_pairs(report)))
    if pair_filter.threshold > 0:
        pairs = pairs.filter(similarity__gte=pair_filter.threshold)
    if pair_filter.flag:
        pairs = pairs.filter(pk__in=flagged_pair_ids(report, pair_filter.flag))
    if pair_filter.work:
        pairs = pairs.filter(OF_WORK[pair_filter.work])
    if pair_filter.assignee:
        pairs = pairs.filter(is_assigned(report, pair_filter.assignee))
    for ids in _ids_by_word(report, pair_filter.text, names):
        pairs = pairs.filter(Q(left__in=ids) | Q(right__in=ids))
    pairs = with_terms(pairs, report, pair_filter.text, effective_threshold(report, pair_filter), names)
    return cast("QuerySet[ListedPair]", pairs)


def listed_pairs(report: Report, ids: Sequence[int]) -> list[ListedPair]:
    """Return pairs by primary keys, in the order of these, as `ranked_pairs` has them."""
    pairs = with_times(with_decisions(readable_pairs(report))).select_related("left", "right")
    by_id = pairs.defer("passages").in_bulk(ids)
    return [cast("ListedPair", by_id[pk]) for pk in ids if pk in by_id]


def _ids_by_word(report: Report, text: str, names: Names | None) -> list[list[int]]:
    """Return for every word of `text` the submissions whose displayed name contains it."""
    words = search_words(text)
    submissions = readable_submissions(report).values_list("pk", "name") if words else ()
    displayed = [(pk, names.display_name(name) if names else name) for pk, name in submissions]
    return [[pk for pk, name in displayed if word.is_in(name)] for word in words]


def ordered_pairs(
    pairs: QuerySet[DecidedPairs], pair_filter: PairFilter, names: Names | None = None
) -> QuerySet[DecidedPairs]:
    """Return those of `pairs` that have the filter's decision, in the filter's order."""
    pairs = pairs.select_related("left", "right").defer("passages")
    if pair_filter.decision:
        pairs = pairs.filter(decision=pair_filter.decision)
    fields = alias_fields() if names and names.hidden else _sort_fields()
    field = fields[pair_filter.sort.removeprefix("-")]
    first = field.desc() if pair_filter.sort.startswith("-") else field.asc()
    return pairs.order_by(first, "-similarity", "-tokens", fields["left"], fields["right"], "pk")


def _sort_fields() -> dict[str, Any]:
    return {key: F(field) for key, field in SORT_FIELDS.items()}


def alias_fields() -> dict[str, Any]:
    """Return `SORT_FIELDS` for pairs in the order of their aliases: real names would reveal who is who."""
    left, right = (alias_of("report__assignment", f"{side}__name") for side in ("left", "right"))
    in_order = Q(LessThanOrEqual(left, right))
    fields = _sort_fields()
    return fields | {
        "left": Least(left, right),
        "right": Greatest(left, right),
        "left_share": Case(When(in_order, then=fields["left_share"]), default=fields["right_share"]),
        "right_share": Case(When(in_order, then=fields["right_share"]), default=fields["left_share"]),
    }


def next_undecided_in(
    report: Report, pair_filter: PairFilter, names: Names, after: Pair | None
) -> Pair | None:
    """Return the next undecided pair in the filtered and ordered list of pairs, or None.

    In the order of the ranking and without a filter but the threshold, pairs below that come last.
    """
    threshold = effective_threshold(report, pair_filter)
    if replace(pair_filter, threshold=0.0, decision="") == PairFilter():
        return next_undecided(report, threshold, after)
    pairs = filtered_pairs(report, pair_filter, names)
    ordered = ordered_pairs(pairs, replace(pair_filter, decision=""), names)
    pk = next_in_list(list(ordered.values_list("pk", "decision")), after.pk if after else None)
    return readable_pairs(report).select_related("left", "right").defer("passages").get(pk=pk) if pk else None
