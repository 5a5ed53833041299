"""Template context of a report's page, for its owner and for a share link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext_lazy as _

from submissions import queries
from submissions.models import Decision
from submissions.pages.forms.filters import FilterForm, parse_pair_filter
from submissions.pages.report.cases import cases
from submissions.pages.report.charts import graph, histogram, pair_bins
from submissions.pages.report.exclusions import exclusion_context
from submissions.pseudonyms.name_search import search_words
from submissions.queries import PairFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

    from submissions.models import Assignment, Report
    from submissions.pages.report.cases import Case
    from submissions.pseudonyms.name_search import SearchWord
    from submissions.pseudonyms.names import Names
    from submissions.queries import Flag
    from submissions.queries.cases import CasePairs
    from submissions.queries.reports import ListedPair, ReportState, Tally

# Rows of a page: as many as fit two screens.
PAIRS_A_PAGE = 30
CASES_A_PAGE = 15
STUDENTS_A_PAGE = 35


class Column(NamedTuple):
    """A column of the pairs that can be sorted; `explanation` is shown with its heading."""

    key: str
    label: StrOrPromise
    explanation: StrOrPromise


COLUMNS = (
    Column("left", _("Left"), _("The submission that the pair's page shows on the left")),
    Column("right", _("Right"), _("The submission that the pair's page shows on the right")),
    Column("similarity", _("Similarity"), _("What pairs are ranked by: rare shared code weighs more")),
    Column("left_share", _("Left share"), _("How much of the left submission is in shared passages")),
    Column("right_share", _("Right share"), _("How much of the right submission is in shared passages")),
    Column(
        "tokens", _("Tokens"), _("Size of all shared passages together, in words and signs of the language")
    ),
    Column("lines", _("Lines"), _("Lines of all shared passages together")),
    Column("longest", _("Longest"), _("Tokens in the longest shared passage")),
)


class ReportRow(NamedTuple):
    """A pair of the table; `case` is None below the threshold.

    `first_below` marks the first pair below the threshold.
    """

    pair: ListedPair
    flags: list[Flag]
    case: CasePairs | None
    first_below: bool


def tab_context(
    tab: str, query: Mapping[str, Any], assignment: Assignment, names: Names, state: ReportState
) -> dict[str, Any]:
    """Return the context of a tab of a finished report."""
    report = state.report
    assert report is not None
    if tab in CONTEXTS:
        context = findings_context(tab, query, assignment, names, state)
        if tab == "pairs":
            return context | {
                "not_compared": queries.listed_not_compared(report, names),
                "comparisons": queries.listed_comparisons(report),
                "archive": report.findings.archive if report.findings else None,
                "pair_bins": pair_bins(queries.pair_similarities(report), context["threshold"]),
            }
        duplicates = queries.listed_duplicates(report, names)
        return context | {"histogram": histogram(report), "duplicates": duplicates}
    context = {"assignment": assignment, "names": names, "state": state, "report": report}
    if tab == "students":
        return context | _students_context(query, report, names)
    if tab == "ignored":
        context |= exclusion_context(report, names)
    return context | {"skipped": queries.skipped_content(report, names)}


def findings_context(
    tab: str, query: Mapping[str, Any], assignment: Assignment, names: Names, state: ReportState
) -> dict[str, Any]:
    """Return the context that the threshold and the filter change, for the tab of cases or of pairs.

    `query` is the query of the address.
    """
    report = state.report
    assert report is not None
    pair_filter = parse_pair_filter(query)
    context: dict[str, Any] = {
        "assignment": assignment,
        "names": names,
        "state": state,
        "report": report,
        "pair_filter": pair_filter,
        "threshold": queries.effective_threshold(report, pair_filter),
    }
    return context | CONTEXTS[tab](query, context)


def _cases_context(query: Mapping[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    report, names = context["report"], context["names"]
    all_cases = cases(report, context["threshold"], names)
    words = search_words(context["pair_filter"].text)
    matching = [case for case in all_cases if _has_words(case, words, names)] if words else all_cases
    page = Paginator(matching, CASES_A_PAGE).get_page(query.get("page"))
    undecided = [case for case in all_cases if case.decision.state == Decision.State.UNDECIDED]
    return {
        "case_count": len(all_cases),
        "undecided": len(undecided),
        "pairs_above": queries.pairs_above(report, context["threshold"]),
        "cases": all_cases,
        "page": page,
        "graph": graph(all_cases),
        "filter_form": FilterForm(query or None),
    }


def _has_words(case: Case, words: list[SearchWord], names: Names) -> bool:
    """Return whether each word is in the displayed name of some member."""
    displayed = [names.display_name(name) for name in case.names]
    return all(any(word.is_in(name) for name in displayed) for word in words)


def _pairs_context(query: Mapping[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    report, names, pair_filter = context["report"], context["names"], context["pair_filter"]
    threshold = context["threshold"]
    pairs = queries.filtered_pairs(report, pair_filter, names)
    tally = queries.tally(pairs, threshold)
    ordered = queries.ordered_pairs(pairs, pair_filter, names)
    flags = queries.Flags.from_report(report)
    page = Paginator(ordered, PAIRS_A_PAGE).get_page(query.get("page"))
    page.object_list = [queries.displayed_pair(pair, names) for pair in page.object_list]
    rows = _rows(page, flags, threshold, _divider_index(pair_filter, tally))
    return {
        **_headline_counts(report, pair_filter, threshold, tally),
        **_filter_form(query, flags, pair_filter),
        "has_earlier_work": queries.has_earlier_work(report),
        "page": page,
        "rows": rows,
        "tally": _decision_counts(tally),
    }


CONTEXTS = {"cases": _cases_context, "pairs": _pairs_context}


def _students_context(query: Mapping[str, Any], report: Report, names: Names) -> dict[str, Any]:
    text = str(query.get("q", ""))
    students = queries.listed_students(report, names)
    words = search_words(text)
    matching = [row for row in students if all(word.is_in(row.displayed) for word in words)]
    page = Paginator(matching, STUDENTS_A_PAGE).get_page(query.get("page"))
    return {"page": page, "student_count": len(students), "searched": text}


def _headline_counts(
    report: Report, pair_filter: PairFilter, threshold: float, tally: Tally
) -> dict[str, Any]:
    """Count the pairs at or above the threshold; the rest of the filter has no effect on these counts.

    `pairs_above` counts all pairs, `listed_above` and `undecided` those that the report lists.
    """
    if pair_filter.text or pair_filter.flag or pair_filter.work:
        pairs = queries.filtered_pairs(report, PairFilter(threshold=pair_filter.threshold))
        tally = queries.tally(pairs, threshold)
    return {
        "pairs_above": queries.pairs_above(report, threshold),
        "listed_above": sum(tally.above.values()),
        "undecided": tally.above.get(Decision.State.UNDECIDED, 0),
    }


def _filter_form(query: Mapping[str, Any], flags: queries.Flags, pair_filter: PairFilter) -> dict[str, Any]:
    form = FilterForm(query or None, initial={"sort": pair_filter.sort})
    form.offer_flags(flags.kinds)
    return {"filter_form": form, "columns": COLUMNS}


def _decision_counts(tally: Tally) -> list[tuple[str, str, int]]:
    """Return (state, label, number of pairs): first for all pairs, then for every state of a decision."""
    states = [(state.value, str(state.label), tally.listed.get(state.value, 0)) for state in Decision.State]
    return [("", str(_("All")), sum(tally.listed.values())), *states]


def _divider_index(pair_filter: PairFilter, tally: Tally) -> int | None:
    """Return the index of the first listed pair below the suggested threshold.

    None if the list is in another order, or if the filter sets a threshold itself.
    """
    if pair_filter.threshold or pair_filter.sort != "-similarity":
        return None
    above = tally.above
    return above.get(pair_filter.decision, 0) if pair_filter.decision else sum(above.values())


def _rows(
    page: Page[ListedPair], flags: queries.Flags, threshold: float, divider_index: int | None
) -> list[ReportRow]:
    first = page.start_index() - 1
    rows = list(page.object_list)
    report = rows[0].report if rows else None
    by_member = queries.cases_by_member(report, threshold) if report else {}
    return [
        ReportRow(
            pair,
            flags.between(*queries.timed_submissions(pair)),
            by_member.get(pair.left_id) if queries.is_linking(pair, threshold) else None,
            index == divider_index,
        )
        for index, pair in enumerate(rows, first)
    ]
