"""The parts of a report's page that its owner and the readers of a share link see, rendered once and kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions import queries
from submissions.pages.forms.filters import query_string
from submissions.pages.rendered import RENDERED, part_key, render_part
from submissions.pages.report.overview import findings_context, report_context

if TYPE_CHECKING:
    from collections.abc import Hashable

    from django.http import HttpRequest, QueryDict
    from django.utils.safestring import SafeString

    from submissions.models import Assignment
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState

PARTS = {
    "report": "submissions/_ranking.html",
    "same": "submissions/_same.html",
    "not_compared": "submissions/_not_compared.html",
    "excluded": "submissions/_excluded.html",
    "common": "submissions/_common_code.html",
    "skipped": "submissions/_skipped.html",
    "made": "submissions/_made.html",
}


class Address(NamedTuple):
    """Path and query of a page, and the token of a share link or ""."""

    path: str
    query: QueryDict
    token: str = ""

    @classmethod
    def from_request(cls, request: HttpRequest) -> Address:
        match = request.resolver_match
        return cls(request.path, request.GET, match.kwargs.get("token", "") if match else "")

    @property
    def key(self) -> tuple[Hashable, ...]:
        """The values in which two addresses differ."""
        return self.path, self.query.urlencode(), self.token

    @property
    def context(self) -> dict[str, Any]:
        """The variables of templates; a page behind a share link is for reading only."""
        return {"path": self.path, "query": self.query, "token": self.token, "readonly": bool(self.token)}


def report_parts(
    address: Address, assignment: Assignment, state: ReportState, names: Names
) -> dict[str, SafeString]:
    """Return the parts of a page with a finished report, by the keys of PARTS."""
    key = part_key("report", assignment, state, names, queries.decisions_version(assignment), *address.key)
    return RENDERED.get(key, partial(_rendered_report, address, assignment, state, names))


def filtered_part(
    address: Address, assignment: Assignment, state: ReportState, names: Names
) -> dict[str, SafeString]:
    """Return `html`, the part that the threshold and the filter change, and `query`, the filter's query."""
    key = part_key("filtered", assignment, state, names, queries.decisions_version(assignment), *address.key)
    return RENDERED.get(key, partial(_rendered_filtered, address, assignment, state, names))


def _rendered_report(
    address: Address, assignment: Assignment, state: ReportState, names: Names
) -> dict[str, str]:
    context = report_context(address.query, assignment, names, state) | address.context
    return {name: render_part(template, context) for name, template in PARTS.items()}


def _rendered_filtered(
    address: Address, assignment: Assignment, state: ReportState, names: Names
) -> dict[str, str]:
    context = findings_context(address.query, assignment, names, state) | address.context
    query = query_string(context["pair_filter"], context["pairs"].number)
    return {"html": render_part("submissions/_filtered.html", context), "query": query}
