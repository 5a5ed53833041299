"""Rendered parts of pages, kept in the memory of the web process.

Versions of what a report's pages show change whenever a page may change.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

if TYPE_CHECKING:
    from submissions.core.names import Names
    from submissions.models import Assignment, Report
    from submissions.reports.read import ReportState

    Parts = Mapping[str, str]

# Whole rows of everything that is not fixed when a report is finished, except decisions, and the counters of
# an upload. `xmin` is the transaction that wrote a row last.
VERSION = """
    WITH uploads AS (SELECT * FROM submissions_batch WHERE assignment_id = %(assignment)s)
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(jsonb_build_array(uploads.id, uploads.state, uploads.name, uploads.uploaded_by_id,
                                                     uploads.origin_id)
                          ORDER BY uploads.id) FROM uploads),
        (SELECT jsonb_agg(md5(given::text) ORDER BY given.id) FROM submissions_boilerplate given
         WHERE given.assignment_id = %(assignment)s),
        (SELECT md5(assignment::text) FROM submissions_assignment assignment
         WHERE assignment.id = %(assignment)s),
        (SELECT roster.xmin::text FROM submissions_courseroster roster WHERE roster.course_id = %(course)s),
        (SELECT course.name FROM submissions_course course WHERE course.id = %(course)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM auth_user person
         WHERE person.id IN (SELECT uploaded_by_id FROM uploads
                             UNION SELECT threshold_by_id FROM submissions_assignment assignment
                             WHERE assignment.id = %(assignment)s)),
        (SELECT report.xmin::text FROM submissions_report report WHERE report.id = %(report)s)
    )::text)
"""
DECISIONS = """
    WITH decided AS (SELECT * FROM submissions_decision
                     WHERE assignment_id = %(assignment)s
                       AND (%(name)s = '' OR "left" = %(name)s OR "right" = %(name)s))
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(md5(decided::text) ORDER BY decided.id) FROM decided),
        (SELECT jsonb_agg(md5(cases::text) ORDER BY cases.id) FROM submissions_casedecision cases
         WHERE cases.assignment_id = %(assignment)s),
        (SELECT jsonb_agg(md5(member::text) ORDER BY member.id) FROM submissions_casemember member
         WHERE member.assignment_id = %(assignment)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM auth_user person
         WHERE person.id IN (SELECT assignee_id FROM decided
                             UNION SELECT assignee_id FROM submissions_casedecision cases
                             WHERE cases.assignment_id = %(assignment)s))
    )::text)
"""

# Bytes of the parts that a process keeps, and their number, for each has a key; one reader may have so much
# of both. Seconds after which a part that nobody asked for is dropped.
MAX_BYTES, MAX_PARTS, READERS_SHARE = 48_000_000, 4_000, 4
MAX_IDLE_SECONDS = 15 * 60


def version_of(assignment: Assignment, report: Report | None) -> str:
    """Return a checksum of everything besides the report and decisions that its pages show."""
    report_key = report.pk if report else None
    return _checksum(VERSION, assignment=assignment.pk, course=assignment.course_id, report=report_key)


def decisions_version(assignment: Assignment, name: str = "") -> str:
    """Return a checksum of all decisions.

    With `name`, of those on cases and on pairs with the submission of that name.
    """
    return _checksum(DECISIONS, assignment=assignment.pk, name=name)


def _checksum(query: str, **values: str | int | None) -> str:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return str(cursor.fetchone()[0])


class _Entry(NamedTuple):
    parts: dict[str, bytes]
    size: int
    used: float
    reader: str


class RenderedParts:
    """Parts of pages by their keys; those used longest ago are dropped first.

    A reader who asks for one page after another drops parts that others still read only up to a share.
    """

    def __init__(
        self, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.monotonic, max_parts: int = MAX_PARTS
    ) -> None:
        self.max_bytes, self.max_parts, self.clock = max_bytes, max_parts, clock
        self.size = 0
        # Bytes and numbers of the parts that were rendered for each reader.
        self._sizes, self._numbers = Counter[str](), Counter[str]()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._pending: dict[Hashable, Future[Parts]] = {}
        self._lock = Lock()

    def get(self, key: Hashable, render: Callable[[], Parts], reader: str = "") -> dict[str, SafeString]:
        """Return the parts of a key; `render` them if they are not kept, within the share of a reader.

        Of several threads that need the same parts at once, one renders and the others wait for it.
        """
        with self._lock:
            if entry := self._use(key):
                return {name: SafeString(html.decode()) for name, html in entry.parts.items()}
            is_first = key not in self._pending
            future = self._pending.setdefault(key, Future())
        if is_first:
            self._render(key, render, future, reader)
        return {name: SafeString(html) for name, html in future.result().items()}

    def clear(self) -> None:
        with self._lock:
            for key in list(self._entries):
                self._drop(key)

    def _render(self, key: Hashable, render: Callable[[], Parts], future: Future[Parts], reader: str) -> None:
        try:
            parts = render()
        except BaseException as error:
            self._pending.pop(key, None)
            future.set_exception(error)
            raise
        encoded = {name: html.encode(errors="surrogatepass") for name, html in parts.items()}
        with self._lock:
            self._keep(key, encoded, reader)
            self._pending.pop(key, None)
        future.set_result(parts)

    def _use(self, key: Hashable) -> _Entry | None:
        """Return the entry of a key and make it the newest; drop entries that were not used for long."""
        now = self.clock()
        entry = self._entries.pop(key, None)
        if entry:
            self._entries[key] = entry = entry._replace(used=now)
        while self._entries and next(iter(self._entries.values())).used < now - MAX_IDLE_SECONDS:
            self._drop(next(iter(self._entries)))
        return entry

    def _keep(self, key: Hashable, parts: dict[str, bytes], reader: str) -> None:
        size = sum(map(len, parts.values()))
        self._entries[key] = _Entry(parts, size, self.clock(), reader)
        self._count(reader, size, 1)
        while reader and (
            self._sizes[reader] > self.max_bytes // READERS_SHARE
            or self._numbers[reader] > self.max_parts // READERS_SHARE
        ):
            self._drop(next(key for key, entry in self._entries.items() if entry.reader == reader))
        while self.size > self.max_bytes or len(self._entries) > self.max_parts:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key)
        self._count(entry.reader, -entry.size, -1)

    def _count(self, reader: str, size: int, number: int) -> None:
        self.size += size
        self._sizes[reader] += size
        self._numbers[reader] += number
        if not self._numbers[reader]:
            del self._sizes[reader], self._numbers[reader]


RENDERED = RenderedParts()


def part_key(
    kind: str, assignment: Assignment, state: ReportState, names: Names, *more: Hashable
) -> tuple[Hashable, ...]:
    """Return the key of a part: everything that the part depends on.

    The key has the report and the version of the data that can change beside it (`version_of`), the names as
    the reader sees them, the work that is withheld from the reader, and the language. `more` has the
    parameters of the address, the token of a share link, and the version of the decisions in the part.
    """
    newest = (
        state.report and state.report.pk,
        # Its submissions and their pairs may only disappear.
        state.cohort_size,
        state.pending,
        state.failed and state.failed.pk,
        state.cancelled,
    )
    version = version_of(assignment, state.report)
    reader = (tuple(assignment.withheld), names.fingerprint, get_language())
    return (kind, assignment.pk, version, newest, *reader, *more)


def render_part(template: str, context: Mapping[str, Any]) -> str:
    """Return a template as HTML, without a request: neither a user nor a form's token can be in it."""
    assert "request" not in context
    return render_to_string(template, {**context})
