"""Template context of a report's page, for its owner and for a share link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator

from submissions import queries
from submissions.models import Decision
from submissions.pages.forms.filters import FilterForm, parse_pair_filter
from submissions.pages.report.cases import cases
from submissions.pages.report.charts import graph, histogram
from submissions.pages.report.exclusions import exclusion_context
from submissions.queries import PairFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from submissions.models import Assignment, Report
    from submissions.pseudonyms.names import Names
    from submissions.queries import Flag
    from submissions.queries.reports import ListedPair, ReportState, Tally

PAIRS_A_PAGE = 50
COLUMNS = (
    ("left", "Left"),
    ("right", "Right"),
    ("similarity", "Similarity"),
    ("left_share", "Left share"),
    ("right_share", "Right share"),
    ("tokens", "Tokens"),
    ("lines", "Lines"),
    ("longest", "Longest"),
)


class ReportRow(NamedTuple):
    """A pair of the table; `first_below` marks the first pair below the threshold."""

    pair: ListedPair
    flags: list[Flag]
    first_below: bool


def report_context(
    query: Mapping[str, Any], assignment: Assignment, names: Names, state: ReportState | None = None
) -> dict[str, Any]:
    """Return the context of a report's page; `report` is None if nothing has been ranked."""
    context = findings_context(query, assignment, names, state)
    if report := context["report"]:
        context |= {"histogram": histogram(report), "duplicates": queries.listed_duplicates(report, names)}
        context["not_compared"] = queries.listed_not_compared(report, names)
        context |= {"skipped": queries.skipped_content(report, names)} | exclusion_context(report, names)
    return context


def findings_context(
    query: Mapping[str, Any], assignment: Assignment, names: Names, state: ReportState | None = None
) -> dict[str, Any]:
    """Return the context that the threshold and the filter change, for `_headline.html` and `_findings.html`.

    `query` is the query of the address.
    """
    state = state or queries.report_state(assignment)
    report = state.report
    context: dict[str, Any] = {"assignment": assignment, "names": names, "state": state, "report": report}
    if not report:
        return context
    pair_filter = parse_pair_filter(query)
    threshold = queries.effective_threshold(report, pair_filter)
    all_cases = cases(report, threshold, names)
    pairs = queries.filtered_pairs(report, pair_filter, names)
    tally = queries.tally(pairs, threshold)
    context |= {"pair_filter": pair_filter, "threshold": threshold}
    context |= {"cases": all_cases, "graph": graph(all_cases)}
    context |= _headline_counts(report, pair_filter, threshold, tally)
    ordered = queries.ordered_pairs(pairs, pair_filter, names)
    flags = queries.Flags.from_report(report)
    context |= _filter_form(query, flags, pair_filter)
    page = Paginator(ordered, PAIRS_A_PAGE).get_page(query.get("page"))
    page.object_list = [queries.displayed_pair(pair, names) for pair in page.object_list]
    return context | _table(flags, page, _divider_index(pair_filter, tally), tally)


def _headline_counts(
    report: Report, pair_filter: PairFilter, threshold: float, tally: Tally
) -> dict[str, Any]:
    """Count the pairs at or above the threshold; the rest of the filter has no effect on these counts."""
    if pair_filter.text or pair_filter.flag:
        pairs = queries.filtered_pairs(report, PairFilter(threshold=pair_filter.threshold))
        tally = queries.tally(pairs, threshold)
    undecided = tally.above.get(Decision.State.UNDECIDED, 0)
    return {"pairs_above": sum(tally.above.values()), "undecided": undecided}


def _filter_form(query: Mapping[str, Any], flags: queries.Flags, pair_filter: PairFilter) -> dict[str, Any]:
    form = FilterForm(query or None, initial={"sort": pair_filter.sort})
    form.offer_flags(flags.kinds)
    return {"filter_form": form, "columns": COLUMNS}


def _table(
    flags: queries.Flags, page: Page[ListedPair], divider_index: int | None, tally: Tally
) -> dict[str, Any]:
    rows = _rows(page, flags, divider_index)
    return {"pairs": page, "rows": rows, "tally": _decision_counts(tally)}


def _decision_counts(tally: Tally) -> list[tuple[str, str, int]]:
    """Return (state, label, number of pairs): first for all pairs, then for every state of a decision."""
    states = [(state.value, state.label, tally.listed.get(state.value, 0)) for state in Decision.State]
    return [("", "All", sum(tally.listed.values())), *states]


def _divider_index(pair_filter: PairFilter, tally: Tally) -> int | None:
    """Return the index of the first listed pair below the suggested threshold.

    None if the list is in another order, or if the filter sets a threshold itself.
    """
    if pair_filter.threshold or pair_filter.sort != "-similarity":
        return None
    above = tally.above
    return above.get(pair_filter.decision, 0) if pair_filter.decision else sum(above.values())


def _rows(page: Page[ListedPair], flags: queries.Flags, divider_index: int | None) -> list[ReportRow]:
    first = page.start_index() - 1
    return [
        ReportRow(pair, flags.between(*queries.timed_submissions(pair)), index == divider_index)
        for index, pair in enumerate(page.object_list, first)
    ]
