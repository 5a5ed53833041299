"""The list of a report's cases: what is kept of it, and what was decided on its cases."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.safestring import SafeString

from submissions.models import Decision
from submissions.pages.rendered import render_part
from submissions.pages.report.cases import cases
from submissions.pages.report.charts import graph
from submissions.pseudonyms.names import search_terms, search_words
from submissions.queries.cases import case_decisions, decided_case, pairs_above
from submissions.queries.flags import partly_read
from submissions.queries.pairs import submission_names
from submissions.queries.submissions import ranked_ids
from submissions.queries.suspicions import suspicions
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from submissions.pages.report.cases import Case
    from submissions.pages.report.report_page import ReportPage
    from submissions.queries.cases import DecidedCase
    from submissions.queries.suspicions import Suspicion

CASES_A_PAGE = 15
CELLS = "submissions/report/_case_cells.html"
HAND_CELLS = "submissions/report/_hand_cells.html"


class DecidedRow(NamedTuple):
    """A row of the table: its rendered cells, and what was decided on its case.

    `changed` is whether the case has other members than when it was decided.
    """

    cells: SafeString
    decision: str
    changed: bool


def list_context(page: ReportPage) -> dict[str, Any]:
    """Return the context of the list of cases: one page of it, and how many are undecided."""
    parts = page.kept("cases", partial(_rendered, page), *page.address.key)
    kept = json.loads(parts["rows"])
    decided = decided_cases(page, kept["members"])
    by_hand = _by_hand(page, len(kept["members"]))
    listed = kept["matching"] + [number for number, one in by_hand.items() if _is_searched(page, one)]
    part: Page[int] = Paginator(listed, CASES_A_PAGE).get_page(page.address.query.get("page"))
    rows = [
        _hand_row(page, by_hand[number])
        if number in by_hand
        else _row(parts[str(number)], decided.get(number))
        for number in part.object_list
    ]
    states = [one.decision.state for one in decided.values()]
    return {
        "case_count": len(kept["members"]) + len(by_hand),
        "by_hand": len(by_hand),
        "undecided": len(kept["members"]) - len(states) + states.count(Decision.State.UNDECIDED),
        "pairs_above": kept["pairs_above"],
        "timed": kept["timed"],
        "page": part,
        "rows": rows,
        "graph": parts["graph"],
    }


def _row(cells: SafeString, decided: DecidedCase | None) -> DecidedRow:
    if decided is None:
        return DecidedRow(cells, Decision.State.UNDECIDED.value, changed=False)
    return DecidedRow(cells, decided.decision.state, bool(decided.former))


def _by_hand(page: ReportPage, case_count: int) -> dict[int, Suspicion]:
    """Return the cases by hand by number; behind a share link, where decisions are not shown, none."""
    if page.address.token:
        return {}
    return {one.number: one for one in suspicions(page.report, page.names, case_count)}


def _is_searched(page: ReportPage, case: Suspicion) -> bool:
    return _passes(page, case.number, [member.name for member in case.members])


def _hand_row(page: ReportPage, case: Suspicion) -> DecidedRow:
    cells = SafeString(render_part(HAND_CELLS, page.context | {"case": case}))
    return DecidedRow(cells, case.decision.state, changed=False)


def decided_cases(page: ReportPage, members: list[tuple[int, list[int]]]) -> dict[int, DecidedCase]:
    """Return the decisions on cases by number; a case that has no member with a decision has none.

    `members` are the numbers of all cases, each with the primary keys of its submissions.
    """
    by_name = case_decisions(page.assignment)
    decided = set(ranked_ids(page.report, by_name).values()) if by_name else set()
    touched = {number: ids for number, ids in members if not decided.isdisjoint(ids)}
    names = submission_names(page.assignment, *(pk for ids in touched.values() for pk in ids))
    return {
        number: decided_case([names[pk] for pk in ids if pk in names], by_name)
        for number, ids in touched.items()
    }


def _rendered(page: ReportPage) -> dict[str, str]:
    """Return what no decision changes: the graph, the cells of the page's cases by number, and `rows`."""
    all_cases = cases(page.report, page.threshold, page.names)
    matching = [case for case in all_cases if _passes(page, case.number, case.names)]
    context = page.context | {"partly_read": partly_read(readable_submissions(page.report))}
    listed_cases: Page[Case] = Paginator(matching, CASES_A_PAGE).get_page(page.address.query.get("page"))
    rows = {
        "members": [(case.number, [member.submission.pk for member in case.members]) for case in all_cases],
        "matching": [case.number for case in matching],
        "pairs_above": pairs_above(page.report, page.threshold),
        "timed": any(case.timed for case in all_cases),
    }
    graph_context = context | {"cases": all_cases, "graph": graph(all_cases)}
    return {
        "rows": json.dumps(rows),
        "graph": render_part("submissions/report/_graph.html", graph_context),
        **{str(case.number): render_part(CELLS, context | {"case": case}) for case in listed_cases},
    }


def _passes(page: ReportPage, number: int, members: list[str]) -> bool:
    """Return whether a case has all words of the search, and the number of its term `case`."""
    text = page.pair_filter.text
    numbers = {term.value for term in search_terms(text) if term.name == "case"}
    displayed = [page.names.display_name(name) for name in members]
    return numbers <= {str(number)} and all(
        any(word.is_in(name) for name in displayed) for word in search_words(text)
    )
