"""The list of a report's cases: what is kept of it, and what was decided on its cases."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator

from submissions.models import Decision
from submissions.pages.rendered import render_part
from submissions.pages.report.cases import cases
from submissions.pages.report.charts import graph
from submissions.pseudonyms.names import search_terms, search_words
from submissions.queries.cases import case_decisions, decided_case, pairs_above
from submissions.queries.flags import partly_read
from submissions.queries.pairs import submission_names
from submissions.queries.submissions import ranked_ids
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from submissions.pages.report.cases import Case
    from submissions.pages.report.report_page import ReportPage
    from submissions.pseudonyms.names import Names, SearchWord
    from submissions.queries.cases import DecidedCase

CASES_A_PAGE = 15
CELLS = "submissions/report/_case_cells.html"


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
    part: Page[int] = Paginator(kept["matching"], CASES_A_PAGE).get_page(page.address.query.get("page"))
    rows = [_row(parts[str(number)], decided.get(number)) for number in part.object_list]
    states = [one.decision.state for one in decided.values()]
    return {
        "case_count": len(kept["members"]),
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
    matching = _matching(page, all_cases)
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


def _matching(page: ReportPage, all_cases: list[Case]) -> list[Case]:
    """Return the cases with all words of the search, and with the number of its term `case`."""
    text = page.pair_filter.text
    words = search_words(text)
    numbers = {term.value for term in search_terms(text) if term.name == "case"}
    return [
        case for case in all_cases if numbers <= {str(case.number)} and _has_words(case, words, page.names)
    ]


def _has_words(case: Case, words: list[SearchWord], names: Names) -> bool:
    """Return whether each word is in the displayed name of some member."""
    displayed = [names.display_name(name) for name in case.names]
    return all(any(word.is_in(name) for name in displayed) for word in words)
