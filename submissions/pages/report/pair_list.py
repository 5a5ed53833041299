"""The list of a report's pairs: what is kept of it, and what was decided on its pairs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from submissions.models import Decision
from submissions.pages.rendered import render_part
from submissions.pseudonyms.names import follows_decisions
from submissions.queries import cases
from submissions.queries.cases import cases_by_member, is_linking
from submissions.queries.decisions import decided_pairs
from submissions.queries.flags import Flags, timed_submissions
from submissions.queries.pairs import displayed_pair
from submissions.queries.reports import PairFilter, listed_pairs, ranked_pairs
from submissions.queries.withheld import readable_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.utils.safestring import SafeString

    from submissions.pages.report.report_page import ReportPage
    from submissions.queries.cases import CasePairs
    from submissions.queries.flags import Flag
    from submissions.queries.reports import ListedPair

# Rows of a page: as many as fit two screens.
PAIRS_A_PAGE = 30
UNDECIDED = Decision.State.UNDECIDED.value


class ReportRow(NamedTuple):
    """A pair of the table; `case` is None below the threshold."""

    pair: ListedPair
    flags: list[Flag]
    case: CasePairs | None


class DecidedRow(NamedTuple):
    """A row of the table: its rendered cells, and what was decided on its pair.

    `first_below` marks the first pair below the threshold.
    """

    cells: SafeString
    decision: str
    first_below: bool


class SelectedPairs(NamedTuple):
    """The pairs that the filter of a page selects, apart from its state of a decision.

    `ids` are their primary keys, in the order of the list. `above` of them are at or above the threshold, and
    `listed_above` of all pairs that the report lists; `pairs_above` counts all pairs.
    """

    ids: list[int]
    above: int
    listed_above: int
    pairs_above: int


class DecidedPair(NamedTuple):
    """A pair that is not undecided, by its primary key, with the state of its decision."""

    pk: int
    similarity: float
    state: str


class Tally(NamedTuple):
    """Number of pairs per state of decision: all, and those at or above the threshold."""

    listed: Counter[str]
    above: Counter[str]


def list_context(page: ReportPage) -> dict[str, Any]:
    """Return the context of the list of pairs: one page of it, and counts by decision."""
    pair_filter = page.pair_filter
    decisions = page.decisions if pair_filter.assignee or follows_decisions(pair_filter.text) else ""
    key = _undecided_filter(page), decisions
    selected = SelectedPairs(*page.kept_rows("pairs", partial(_selected, page), *key))
    decided = [
        DecidedPair(*row)
        for row in page.kept_rows("decided", partial(decided_pairs, page.report), page.decisions)
    ]
    above = sum(pair.similarity >= page.threshold for pair in decided)
    tally = _tally(page, selected, decided)
    return {
        "pairs_above": selected.pairs_above,
        "listed_above": selected.listed_above,
        "undecided": selected.listed_above - above,
        "tally": _decision_counts(tally),
        **_rows(page, selected, {pair.pk: pair.state for pair in decided}, _divider_index(page, tally)),
    }


def _undecided_filter(page: ReportPage) -> PairFilter:
    return replace(page.pair_filter, decision="")


def _selected(page: ReportPage) -> SelectedPairs:
    report, pair_filter, threshold = page.report, _undecided_filter(page), page.threshold
    pairs = ranked_pairs(report, pair_filter, page.names)
    rows = list(pairs.values_list("pk", "similarity"))
    return SelectedPairs(
        [pk for pk, _similarity in rows],
        sum(similarity >= threshold for _pk, similarity in rows),
        readable_pairs(report).filter(similarity__gte=threshold).count(),
        cases.pairs_above(report, threshold),
    )


def _tally(page: ReportPage, selected: SelectedPairs, decided: Sequence[DecidedPair]) -> Tally:
    listed, above, ids = Counter[str](), Counter[str](), set(selected.ids)
    for pair in decided:
        if pair.pk in ids:
            listed[pair.state] += 1
            above[pair.state] += pair.similarity >= page.threshold
    listed[UNDECIDED] = len(ids) - listed.total()
    above[UNDECIDED] = selected.above - above.total()
    return Tally(listed, above)


def _decision_counts(tally: Tally) -> list[tuple[str, str, int]]:
    """Return (state, label, number of pairs): first for all pairs, then for every state of a decision."""
    states = [(state.value, str(state.label), tally.listed[state.value]) for state in Decision.State]
    return [("", _("All"), tally.listed.total()), *states]


def _divider_index(page: ReportPage, tally: Tally) -> int | None:
    """Return the index of the first listed pair below the suggested threshold.

    None if the list is in another order, or if the filter sets a threshold itself.
    """
    pair_filter, above = page.pair_filter, tally.above
    if pair_filter.threshold or pair_filter.sort != "-similarity":
        return None
    return above[pair_filter.decision] if pair_filter.decision else above.total()


def _rows(
    page: ReportPage, selected: SelectedPairs, states: dict[int, str], divider_index: int | None
) -> dict[str, Any]:
    """Return the page of the list, and its rows."""
    state = page.pair_filter.decision
    ids = [pk for pk in selected.ids if states.get(pk, UNDECIDED) == state] if state else selected.ids
    part: Page[int] = Paginator(ids, PAIRS_A_PAGE).get_page(page.address.query.get("page"))
    pair_ids = tuple(part.object_list)
    cells = page.kept(
        "pair rows", partial(_cells, page, pair_ids), page.pair_filter, page.address.token, pair_ids
    )
    rows = [
        DecidedRow(cells[str(pk)], states.get(pk, UNDECIDED), index == divider_index)
        for index, pk in enumerate(pair_ids, part.start_index() - 1)
        if str(pk) in cells  # it may have been deleted meanwhile
    ]
    return {"page": part, "rows": rows}


def _cells(page: ReportPage, ids: Sequence[int]) -> dict[str, str]:
    """Return the cells of pairs without what was decided, by primary key."""
    context = page.context
    return {
        str(row.pair.pk): render_part("submissions/report/_pair_cells.html", context | {"row": row})
        for row in report_rows(page, ids)
    }


def report_rows(page: ReportPage, ids: Sequence[int]) -> list[ReportRow]:
    """Return the rows of some pairs, by their primary keys."""
    report, names, threshold = page.report, page.names, page.threshold
    if not ids:
        return []
    flags = Flags.from_report(report)
    by_member = cases_by_member(report, threshold)
    pairs = [displayed_pair(pair, names) for pair in listed_pairs(report, ids)]
    return [
        ReportRow(
            pair,
            flags.between(*timed_submissions(pair)),
            by_member.get(pair.left_id) if is_linking(pair, threshold) else None,
        )
        for pair in pairs
    ]
