"""Rendered parts of pages, kept in the memory of the web process.

A finished report does not change, but decisions, names and uploads beside it do. Every part is therefore kept
under a key of all that it depends on (`part_key`), and nothing has to be invalidated: when something has
changed, the next request asks for another key. The parts are rendered without a request, so that they cannot
contain anything of the user or the session.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from submissions.queries.versions import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from submissions.models import Assignment
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState

    Parts = Mapping[str, str]

# Bytes of the parts that a process keeps, and seconds after which a part that nobody asked for is dropped.
MAX_BYTES = 48_000_000
MAX_IDLE_SECONDS = 15 * 60


class _Entry(NamedTuple):
    parts: dict[str, bytes]
    size: int
    used: float


class RenderedParts:
    """Parts of pages by their keys; those used longest ago are dropped first."""

    def __init__(self, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self.max_bytes, self.clock = max_bytes, clock
        self.size = 0
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._pending: dict[Hashable, Future[Parts]] = {}
        self._lock = Lock()

    def get(self, key: Hashable, render: Callable[[], Parts]) -> dict[str, SafeString]:
        """Return the parts of a key; `render` them if they are not kept.

        Of several threads that need the same parts at once, one renders and the others wait for it.
        """
        with self._lock:
            if entry := self._use(key):
                return {name: SafeString(html.decode()) for name, html in entry.parts.items()}
            is_first = key not in self._pending
            future = self._pending.setdefault(key, Future())
        if is_first:
            self._render(key, render, future)
        return {name: SafeString(html) for name, html in future.result().items()}

    def clear(self) -> None:
        """Drop all parts."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _render(self, key: Hashable, render: Callable[[], Parts], future: Future[Parts]) -> None:
        try:
            parts = render()
        except BaseException as error:
            self._pending.pop(key, None)
            future.set_exception(error)
            raise
        with self._lock:
            self._keep(key, {name: html.encode(errors="surrogatepass") for name, html in parts.items()})
            self._pending.pop(key, None)
        future.set_result(parts)

    def _use(self, key: Hashable) -> _Entry | None:
        """Return the entry of a key and make it the newest; drop entries that were not used for long."""
        now = self.clock()
        entry = self._entries.pop(key, None)
        if entry:
            self._entries[key] = entry = entry._replace(used=now)
        while self._entries and next(iter(self._entries.values())).used < now - MAX_IDLE_SECONDS:
            self._drop_oldest()
        return entry

    def _keep(self, key: Hashable, parts: dict[str, bytes]) -> None:
        size = sum(map(len, parts.values()))
        self._entries[key] = _Entry(parts, size, self.clock())
        self.size += size
        while self.size > self.max_bytes:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, entry = self._entries.popitem(last=False)
        self.size -= entry.size


RENDERED = RenderedParts()


def part_key(
    kind: str, assignment: Assignment, state: ReportState, names: Names, *more: Hashable
) -> tuple[Hashable, ...]:
    """Return the key of a part: all that it depends on.

    That is the report and everything beside it that can change (`version_of`), the names as the reader
    sees them, what is withheld from this reader, and the language. `more` is what the address adds, the token
    of a share link, and the version of the decisions that the part shows.
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
