"""Template context of a report's page, for its owner and for a share link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Paginator
from django.utils.translation import gettext_lazy as _

from submissions.pages.forms.filters import FilterForm
from submissions.pages.report import case_list, pair_list
from submissions.pages.report.charts import histogram, pair_bins
from submissions.pages.report.exclusions import exclusion_context
from submissions.pseudonyms.names import search_words
from submissions.queries.comparisons import has_earlier_work, listed_comparisons
from submissions.queries.course_of_student import listed_students
from submissions.queries.exclusions import skipped_content
from submissions.queries.flags import Flags
from submissions.queries.pairs import pair_similarities
from submissions.queries.reports import listed_not_compared
from submissions.queries.submissions import listed_duplicates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

    from submissions.models import Report
    from submissions.pages.report.report_page import ReportPage
    from submissions.pseudonyms.names import Names

# Rows of a page: as many as fit two screens.
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


def steady_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context of what no decision changes on the tab of cases or of pairs."""
    report, names = page.report, page.names
    if tab == "cases":
        return page.context | {
            "filter_form": FilterForm(page.address.query or None),
            "histogram": histogram(report),
            "duplicates": listed_duplicates(report, names),
        }
    return page.context | {
        "filter_form": _pair_filter_form(page),
        "has_earlier_work": has_earlier_work(report),
        "not_compared": listed_not_compared(report, names),
        "comparisons": listed_comparisons(report),
        "archive": report.findings.archive if report.findings else None,
        "pair_bins": pair_bins(pair_similarities(report), page.threshold),
    }


def _pair_filter_form(page: ReportPage) -> FilterForm:
    form = FilterForm(page.address.query or None, initial={"sort": page.pair_filter.sort})
    form.offer_flags(Flags.from_report(page.report).kinds)
    form.offer_assignees(page.assignees)
    return form


def findings_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context that the threshold, the filter and decisions change, of the cases or the pairs."""
    if tab == "cases":
        return page.context | case_list.list_context(page)
    return page.context | pair_list.list_context(page) | {"columns": COLUMNS}


def tab_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context of a tab without a filter."""
    report, names = page.report, page.names
    if tab == "students":
        return page.context | _students_context(page.address.query, report, names)
    context = page.context | {"skipped": skipped_content(report, names)}
    return context | exclusion_context(report, names) if tab == "ignored" else context


def _students_context(query: Mapping[str, Any], report: Report, names: Names) -> dict[str, Any]:
    text = str(query.get("q", ""))
    students = listed_students(report, names)
    words = search_words(text)
    matching = [row for row in students if all(word.is_in(row.displayed) for word in words)]
    page = Paginator(matching, STUDENTS_A_PAGE).get_page(query.get("page"))
    return {"page": page, "student_count": len(students), "searched": text}
