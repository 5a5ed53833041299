"""The address of a report's page, what its reader may do, and what all its parts depend on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http import HttpRequest, QueryDict
from django.utils import translation

from submissions.cases.read import assignees
from submissions.core.rights import Right, allowed, rights
from submissions.pages.rendered import RENDERED, decisions_version, part_key
from submissions.pairs.read import moved_threshold, suggested_threshold, threshold_of
from submissions.reports.forms import FilterForm, parse_pair_filter
from submissions.reports.read import PairFilter, ReportState, effective_threshold

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from submissions.core.names import Names
    from submissions.models import Assignment, Course, Report

# Rights that show in a part; readers who differ in others share the rendered parts.
SHOWN_RIGHTS = frozenset({Right.CHANGE, Right.SHARE})

# The parameters of an address beside the fields of the filter, and the forms of their values.
NUMBERED, PLACED = {"page", "files", "skipped", "passage"}, {"left", "right"}
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
PLACE = re.compile(r"[1-9][0-9]{0,8}-[0-9]{1,9}")


def known_query(query: Mapping[str, str]) -> QueryDict:
    """Return the parameters that some page reads, in one order, because rendered parts are kept by them."""
    form = FilterForm(query)
    form.is_valid()
    known = QueryDict(mutable=True)
    for name in sorted(query):
        is_filter = name in form.fields and name not in form.errors and bool(query[name])
        if is_filter or _is_place(name, query[name]):
            known[name] = query[name]
    return known


def _is_place(name: str, value: str) -> bool:
    """Return whether a parameter says what part of a page is shown, in the form of such values."""
    return bool((name in NUMBERED and NUMBER.fullmatch(value)) or (name in PLACED and PLACE.fullmatch(value)))


class Address(NamedTuple):
    """Path and known query of a page, the token of a share link or "", and what the reader may do.

    Behind a share link there are no rights, whoever reads. The `reader` is the link or the account.
    """

    path: str
    query: QueryDict
    token: str = ""
    rights: frozenset[Right] = frozenset()
    reader: str = ""

    @classmethod
    def from_request(cls, request: HttpRequest, course: Course) -> Address:
        match = request.resolver_match
        token = match.kwargs.get("token", "") if match else ""
        granted = frozenset() if token else rights(request.user, course) & SHOWN_RIGHTS
        reader = token or f"account {request.user.pk}"
        return cls(request.path, known_query(request.GET), token, granted, reader)

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


class ReportPage(NamedTuple):
    """A page of a finished report.

    `key` has all that its parts depend on besides the address and the decisions; `decisions` is the version
    of these. What no decision changes is kept without it, so that a decision makes little old.
    """

    address: Address
    assignment: Assignment
    names: Names
    state: ReportState
    report: Report
    pair_filter: PairFilter
    threshold: float
    key: tuple[Hashable, ...]
    decisions: str

    @classmethod
    def at(cls, address: Address, assignment: Assignment, names: Names, state: ReportState) -> ReportPage:
        """Return the page of an address; the newest report is finished."""
        assert state.report is not None
        pair_filter = parse_pair_filter(address.query)
        threshold = effective_threshold(state.report, pair_filter)
        key = part_key("report", assignment, state, names)
        decisions = decisions_version(assignment)
        return cls(address, assignment, names, state, state.report, pair_filter, threshold, key, decisions)

    @property
    def context(self) -> dict[str, Any]:
        """The variables that all templates of the page have."""
        moved = moved_threshold(self.report)
        return {
            "assignment": self.assignment,
            "names": self.names,
            "state": self.state,
            "report": self.report,
            "pair_filter": self.pair_filter,
            "threshold": self.threshold,
            "stored_threshold": threshold_of(self.report),
            "suggested": suggested_threshold(self.report),
            "moved": moved and moved.sentence(translation, "\u202f"),
            "is_suggested": not self.pair_filter.threshold and self.assignment.threshold is None,
            **self.address.context,
        }

    @property
    def assignees(self) -> list[str]:
        """Usernames of those to whom something is assigned; none behind a share link."""
        fetch = partial(assignees, self.assignment)
        if self.address.token:
            return []
        return [str(name) for name in self.kept_rows("assignees", fetch, self.decisions)]

    def kept(
        self, kind: str, render: Callable[[], Mapping[str, str]], *more: Hashable
    ) -> dict[str, SafeString]:
        """Return rendered parts, by `kind` and what they depend on besides the key of the page."""
        return RENDERED.get((*self.key, kind, *more), render, self.address.reader)

    def kept_rows(self, kind: str, fetch: Callable[[], Any], *more: Hashable) -> Any:
        """Return lists of numbers and texts, which are kept like rendered parts."""
        parts = self.kept(kind, lambda: {"rows": json.dumps(fetch())}, *more)
        return json.loads(parts["rows"])
