"""The address of a report's page, what its reader may do, and what all its parts depend on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import OuterRef
from django.http import HttpRequest, QueryDict
from django.utils import timezone, translation
from django.utils.safestring import SafeString

from submissions.cases.read import assignees
from submissions.core.names import Names
from submissions.core.rights import Right, allowed, rights
from submissions.models import Assignment, Course, Report, Submission, SubmissionFile
from submissions.pages.rendered import RENDERED, decisions_version, part_key
from submissions.pairs.read import moved_threshold, suggested_threshold, threshold_of
from submissions.reports.forms import FilterForm, parse_pair_filter
from submissions.reports.read import PairFilter, ReportState, effective_threshold

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


# One upsert, so that readers at the same moment do not conflict. A visit ends with an hour without a page.
VISIT = """
    INSERT INTO submissions_visit AS visit (user_id, assignment_id, since, seen, opened)
    VALUES (%(user)s, %(assignment)s, %(made)s, %(made)s, %(now)s)
    ON CONFLICT (user_id, assignment_id) DO UPDATE SET
        since = CASE WHEN visit.opened < %(now)s - interval '1 hour' THEN visit.seen ELSE visit.since END,
        seen = excluded.seen,
        opened = excluded.opened
    RETURNING since
"""


def new_work(user: int, report: Report) -> frozenset[int]:
    """Note that a user reads a report; return its submissions that are not in the one of the visit before.

    Work with the same files under the same name as before is not new: many platforms export all anew.
    """
    values: dict[str, Any] = {"user": user, "assignment": report.assignment_id, "made": report.created}
    values["now"] = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(VISIT, values)
        [[since]] = cursor.fetchall()
    if since >= report.created:
        return frozenset()
    files = SubmissionFile.objects.filter(submission=OuterRef("pk")).order_by("path").values("source_id")
    rows = Submission.objects.annotate(sources=ArraySubquery(files)).values_list("pk", "name", "sources")
    later = rows.filter(reports=report, batch__created__gt=since)
    earlier = rows.filter(batch__assignment=report.assignment_id, batch__created__lte=since)
    known = {(name, *sources) for _, name, sources in earlier.filter(name__in=[name for _, name, _ in later])}
    return frozenset(pk for pk, name, sources in later if (name, *sources) not in known)


class Address(NamedTuple):
    """Path and known query of a page, the token of a share link or "", and what the reader may do.

    Behind a share link there are no rights, whoever reads, and no `user`, the primary key of the account. The
    `reader` is the link or the account.
    """

    path: str
    query: QueryDict
    token: str = ""
    rights: frozenset[Right] = frozenset()
    reader: str = ""
    user: int = 0

    @classmethod
    def from_request(cls, request: HttpRequest, course: Course) -> Address:
        match = request.resolver_match
        token = match.kwargs.get("token", "") if match else ""
        granted = frozenset() if token else rights(request.user, course) & SHOWN_RIGHTS
        user = 0 if token else request.user.pk or 0
        return cls(request.path, known_query(request.GET), token, granted, token or f"account {user}", user)

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
    of these. What no decision changes is kept without it, so that a decision makes little old. `new` are the
    submissions since the reader's last visit.
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
    new: frozenset[int] = frozenset()

    @classmethod
    def at(cls, address: Address, assignment: Assignment, names: Names, state: ReportState) -> ReportPage:
        """Return the page of an address; the newest report is finished."""
        assert state.report is not None
        pair_filter = parse_pair_filter(address.query)
        threshold = effective_threshold(state.report, pair_filter)
        new = new_work(address.user, state.report) if address.user else frozenset()
        key = (*part_key("report", assignment, state, names), new)
        decisions = decisions_version(assignment)
        return cls(address, assignment, names, state, state.report, pair_filter, threshold, key, decisions, new)

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
            "new_work": self.new,
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

    def kept(self, kind: str, render: Callable[[], Mapping[str, str]], *more: Hashable) -> dict[str, SafeString]:
        """Return rendered parts, by `kind` and what they depend on besides the key of the page."""
        return RENDERED.get((*self.key, kind, *more), render, self.address.reader)

    def kept_rows(self, kind: str, fetch: Callable[[], Any], *more: Hashable) -> Any:
        """Return lists of numbers and texts, which are kept like rendered parts."""
        parts = self.kept(kind, lambda: {"rows": json.dumps(fetch())}, *more)
        return json.loads(parts["rows"])
