"""The parts of a report's page that its owner and the readers of a share link see, rendered once and kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from submissions.pages.forms.filters import parse_pair_filter, query_string
from submissions.pages.rendered import render_part
from submissions.pages.report.overview import findings_context, steady_context, tab_context

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from submissions.models import Assignment
    from submissions.pages.report.report_page import Address, ReportPage

# Templates of the parts of each tab without a filter.
PARTS = {
    "students": {"students": "submissions/report/_students.html"},
    "ignored": {
        "excluded": "submissions/report/_excluded.html",
        "common": "submissions/report/_common_code.html",
        "skipped": "submissions/report/_skipped.html",
    },
    "uploads": {"skipped": "submissions/report/_skipped.html"},
}
# Tabs with a filter, and the template of the part that it changes.
FILTERED = {"cases": "submissions/report/_filtered_cases.html", "pairs": "submissions/report/_filtered.html"}
# The template of the report on these tabs, and of their parts that no decision changes.
REPORTS = {"cases": "submissions/report/_tab_cases.html", "pairs": "submissions/report/_tab_pairs.html"}
STEADY = {
    "cases": {
        "form": "submissions/report/_case_filter.html",
        "histogram": "submissions/report/_histogram.html",
        "same": "submissions/report/_same.html",
    },
    "pairs": {
        "form": "submissions/report/_pair_filter.html",
        "histogram": "submissions/report/_pair_histogram.html",
        "not_compared": "submissions/report/_not_compared.html",
        "made": "submissions/report/_made.html",
    },
}
TITLES = {
    "cases": _("Cases"),
    "pairs": _("Pairs"),
    "students": _("Students"),
    "ignored": _("Ignored code"),
    "uploads": _("Uploads"),
}
SHARED = {"cases": "shared", "pairs": "shared_pairs", "ignored": "shared_ignored"}


class Tab(NamedTuple):
    name: str
    title: str
    url: str


def tabs(address: Address, assignment: Assignment) -> list[Tab]:
    """Return the tabs of a report; they keep the threshold of the address. A share link has some of them."""
    chosen = round(parse_pair_filter(address.query).threshold * 100)
    query = f"?threshold={chosen}" if chosen else ""
    if address.token:
        urls = {tab: reverse(name, args=[address.token]) for tab, name in SHARED.items()}
    else:
        views = {tab: "assignment" if tab == "cases" else tab for tab in TITLES}
        urls = {tab: reverse(name, args=[assignment.pk]) for tab, name in views.items()}
    filtered = {tab: url + query if tab in FILTERED else url for tab, url in urls.items()}
    return [Tab(tab, str(TITLES[tab]), url) for tab, url in filtered.items()]


def report_parts(page: ReportPage, tab: str) -> dict[str, SafeString]:
    """Return the parts of a tab of a finished report, by the keys of PARTS or STEADY; a filtered `report`."""
    address = page.address.key
    if tab not in FILTERED:
        return page.kept(f"tab {tab}", partial(_rendered_tab, page, tab), page.decisions, *address)
    offered = tuple(page.assignees) if tab == "pairs" else ()
    steady = page.kept(f"steady {tab}", partial(_rendered_steady, page, tab), *address, offered)
    render = partial(_rendered_report, page, tab, steady)
    return page.kept(f"report {tab}", render, page.decisions, *address) | steady


def filtered_part(page: ReportPage, tab: str) -> dict[str, SafeString]:
    """Return `html`, the part that the threshold and the filter change, and `query`, the filter's query."""
    render = partial(_rendered_filtered, page, tab)
    return page.kept(f"filtered {tab}", render, page.decisions, *page.address.key)


def _rendered_tab(page: ReportPage, tab: str) -> dict[str, str]:
    return _rendered(PARTS[tab], tab_context(page, tab))


def _rendered_steady(page: ReportPage, tab: str) -> dict[str, str]:
    return _rendered(STEADY[tab], steady_context(page, tab))


def _rendered_report(page: ReportPage, tab: str, steady: dict[str, SafeString]) -> dict[str, str]:
    return _rendered({"report": REPORTS[tab]}, findings_context(page, tab) | {"steady": steady})


def _rendered_filtered(page: ReportPage, tab: str) -> dict[str, str]:
    context = findings_context(page, tab)
    query = query_string(page.pair_filter, context["page"].number)
    return _rendered({"html": FILTERED[tab]}, context) | {"query": query}


def _rendered(templates: dict[str, str], context: dict[str, Any]) -> dict[str, str]:
    return {name: render_part(template, context) for name, template in templates.items()}
