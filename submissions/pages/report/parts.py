"""The parts of a report's page that its owner and the readers of a share link see, rendered once and kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from submissions import queries
from submissions.pages.forms.filters import parse_pair_filter, query_string
from submissions.pages.rendered import RENDERED, part_key, render_part
from submissions.pages.report.overview import findings_context, tab_context
from submissions.permissions import Right, allowed, rights

if TYPE_CHECKING:
    from collections.abc import Hashable

    from django.http import HttpRequest, QueryDict
    from django.utils.safestring import SafeString

    from submissions.models import Assignment, Course
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState

# Templates of the parts of each tab.
PARTS = {
    "cases": {"report": "submissions/_tab_cases.html", "same": "submissions/_same.html"},
    "pairs": {
        "report": "submissions/_tab_pairs.html",
        "not_compared": "submissions/_not_compared.html",
        "made": "submissions/_made.html",
    },
    "students": {"students": "submissions/_students.html"},
    "ignored": {
        "excluded": "submissions/_excluded.html",
        "common": "submissions/_common_code.html",
        "skipped": "submissions/_skipped.html",
    },
    "uploads": {"skipped": "submissions/_skipped.html"},
}
# Tabs with a filter, and the template of the part that it changes.
FILTERED = {"cases": "submissions/_filtered_cases.html", "pairs": "submissions/_filtered.html"}
TITLES = {
    "cases": _("Cases"),
    "pairs": _("Pairs"),
    "students": _("Students"),
    "ignored": _("Ignored code"),
    "uploads": _("Uploads"),
}
SHARED = {"cases": "shared", "pairs": "shared_pairs", "ignored": "shared_ignored"}
# Rights that show in a part; readers who differ in others share the rendered parts.
SHOWN_RIGHTS = frozenset({Right.CHANGE, Right.SHARE})


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
        own = {tab: "assignment" if tab == "cases" else tab for tab in TITLES}
        urls = {tab: reverse(name, args=[assignment.pk]) for tab, name in own.items()}
    filtered = {tab: url + query if tab in FILTERED else url for tab, url in urls.items()}
    return [Tab(tab, str(TITLES[tab]), url) for tab, url in filtered.items()]


class Address(NamedTuple):
    """Path and query of a page, the token of a share link or "", and what the reader may do.

    Behind a share link there are no rights, whoever reads.
    """

    path: str
    query: QueryDict
    token: str = ""
    rights: frozenset[Right] = frozenset()

    @classmethod
    def from_request(cls, request: HttpRequest, course: Course) -> Address:
        match = request.resolver_match
        token = match.kwargs.get("token", "") if match else ""
        granted = frozenset() if token else rights(request.user, course) & SHOWN_RIGHTS
        return cls(request.path, request.GET, token, granted)

    @property
    def key(self) -> tuple[Hashable, ...]:
        """The values in which two addresses differ."""
        return self.path, self.query.urlencode(), self.token, self.rights

    @property
    def context(self) -> dict[str, Any]:
        """The variables of templates; a page behind a share link is for reading only."""
        return {
            "path": self.path,
            "query": self.query,
            "token": self.token,
            "readonly": bool(self.token),
            "may": allowed(self.rights),
        }


def report_parts(
    address: Address, assignment: Assignment, state: ReportState, names: Names, tab: str
) -> dict[str, SafeString]:
    """Return the parts of a tab of a finished report, by the keys of PARTS."""
    decisions = queries.decisions_version(assignment)
    key = part_key(f"report {tab}", assignment, state, names, decisions, *address.key)
    return RENDERED.get(key, partial(_rendered_report, address, assignment, state, names, tab))


def filtered_part(
    address: Address, assignment: Assignment, state: ReportState, names: Names, tab: str
) -> dict[str, SafeString]:
    """Return `html`, the part that the threshold and the filter change, and `query`, the filter's query."""
    decisions = queries.decisions_version(assignment)
    key = part_key(f"filtered {tab}", assignment, state, names, decisions, *address.key)
    return RENDERED.get(key, partial(_rendered_filtered, address, assignment, state, names, tab))


def _rendered_report(
    address: Address, assignment: Assignment, state: ReportState, names: Names, tab: str
) -> dict[str, str]:
    context = tab_context(tab, address.query, assignment, names, state) | address.context
    return {name: render_part(template, context) for name, template in PARTS[tab].items()}


def _rendered_filtered(
    address: Address, assignment: Assignment, state: ReportState, names: Names, tab: str
) -> dict[str, str]:
    context = findings_context(tab, address.query, assignment, names, state) | address.context
    query = query_string(context["pair_filter"], context["page"].number)
    return {"html": render_part(FILTERED[tab], context), "query": query}
