"""What the page of a report shows, told from its address: the same for its owner and behind a shared link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator

from submissions import queries
from submissions.models import Decision
from submissions.pages.forms.filters import FilterForm, pair_filter
from submissions.pages.report.charts import clusters, graph, histogram
from submissions.pages.report.exclusions import exclusion_context, given
from submissions.queries import PairFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet

    from submissions.models import Assignment, Report
    from submissions.pseudonyms.names import Names
    from submissions.queries import Flag
    from submissions.queries.reports import ListedPair, Tally

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


class Row(NamedTuple):
    """A pair of the table; `below` marks the first one that does not stand out."""

    pair: ListedPair
    flags: list[Flag]
    below: bool


def report_context(query: Mapping[str, Any], of: Assignment, names: Names) -> dict[str, Any]:
    """Give all that a report's page needs; `report` is None where nothing has been ranked."""
    context = findings_context(query, of, names)
    context["given"] = given(of, names)
    if report := context["report"]:
        context |= {"histogram": histogram(report), "same": queries.same_groups(report, names)}
        context |= {"skipped": queries.skipped(report)} | exclusion_context(report, names)
    return context


def findings_context(query: Mapping[str, Any], of: Assignment, names: Names) -> dict[str, Any]:
    """Give what the line and the filters change, for `_headline.html` and `_findings.html`."""
    state = queries.report_state(of)
    context: dict[str, Any] = {"assignment": of, "names": names, "state": state, "report": state.shown}
    if not state.shown:
        return context
    chosen = pair_filter(query)
    line = queries.line_of(state.shown, chosen)
    groups = clusters(state.shown, line, names)
    passing = queries.passing(state.shown, chosen, names)
    counted = queries.tally(passing, line)
    context |= {"chosen": chosen, "line": line, "clusters": groups, "graph": graph(groups)}
    context |= _headline(state.shown, chosen, line, counted)
    listed = queries.ranked(passing, chosen, names)
    context |= _filters(query, state.shown, chosen)
    return context | _table(query, state.shown, chosen, listed, counted)


def _headline(report: Report, chosen: PairFilter, line: float, counted: Tally) -> dict[str, Any]:
    """Count what stands out, whatever else the filter leaves out."""
    if chosen.text or chosen.flag:
        counted = queries.tally(queries.passing(report, PairFilter(minimum=chosen.minimum)), line)
    standing = counted.standing
    undecided = standing.get(Decision.State.UNDECIDED, 0)
    return {"standing": sum(standing.values()), "undecided": undecided}


def _filters(query: Mapping[str, Any], report: Report, chosen: PairFilter) -> dict[str, Any]:
    form = FilterForm(query or None, initial={"sort": chosen.sort})
    form.offer(queries.Flags.of(report).kinds)
    return {"filter": form, "columns": COLUMNS}


def _table(
    query: Mapping[str, Any],
    report: Report,
    chosen: PairFilter,
    listed: QuerySet[ListedPair],
    counted: Tally,
) -> dict[str, Any]:
    page = Paginator(listed, PAIRS_A_PAGE).get_page(query.get("page"))
    rows = _rows(page, queries.Flags.of(report), _divider(chosen, counted))
    return {"pairs": page, "rows": rows, "tally": _counts(counted)}


def _counts(counted: Tally) -> list[tuple[str, str, int]]:
    """Give (state, what it is called, pairs), all of them first."""
    states = [(state.value, state.label, counted.listed.get(state.value, 0)) for state in Decision.State]
    return [("", "All", sum(counted.listed.values())), *states]


def _divider(chosen: PairFilter, counted: Tally) -> int | None:
    """Give how many of the listed pairs stand out, where that is a place in the list."""
    if chosen.minimum or chosen.sort != "-similarity":
        return None
    standing = counted.standing
    return standing.get(chosen.decision, 0) if chosen.decision else sum(standing.values())


def _rows(page: Page[ListedPair], flags: queries.Flags, divider: int | None) -> list[Row]:
    first = page.start_index() - 1
    return [
        Row(pair, flags.between(*queries.sides(pair)), at == divider)
        for at, pair in enumerate(page.object_list, first)
    ]
