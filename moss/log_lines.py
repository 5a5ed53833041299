"""Lines of the log, without what belongs in none: errors may quote files, and links are secrets."""

from __future__ import annotations

import json
import logging
import re
import time
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING

from psycopg import OperationalError

from moss.environment import value

if TYPE_CHECKING:
    ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
SHARE_LINK = re.compile(r"/shared/[^/\s?'\"]+")
RESULT_PAGE = re.compile(r"/results/\d+/[^/\s?'\"]+")
# A path is read to its end, with or without a query; tried from each slash, it would take quadratic time.
QUERY = re.compile(r"(/[^\s?'\"]*+)(?:\?[^\s'\"]*+)?")
# Postgres quotes values of rows in the lines after the first of its messages.
DETAIL = re.compile(r"\n(?:DETAIL|CONTEXT|LINE \d+):.*", re.DOTALL)

UNREACHABLE = "no connection to the database"
# The first letters of Postgres's codes for sessions that it ends, or does not begin yet.
SHUTTING_DOWN = "57P"

# The id of the request that this thread answers or that caused the task; empty: none.
REQUEST: ContextVar[str] = ContextVar("REQUEST", default="")
# The name and the id of the task that this process runs.
TASK: ContextVar[tuple[str, str] | None] = ContextVar("TASK", default=None)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, the last one first, each once: `raise error from error` is a circle."""
    seen = set[int]()
    while error and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def is_unreachable(error: BaseException | None) -> bool:
    """Return whether Postgres could not be reached, or ends its sessions: places in the code say nothing."""
    return any(
        isinstance(one, OperationalError) and (one.sqlstate or SHUTTING_DOWN).startswith(SHUTTING_DOWN)
        for one in causes(error)
    )


class OneAMinute(logging.Filter):
    """Lets one line a minute pass of a failed connection, and none of what follows from it."""

    last = -60.0

    def filter(self, record: logging.LogRecord) -> bool:
        is_due = str(record.msg).startswith("error connecting") and time.monotonic() >= self.last + 60
        if is_due:
            self.last = time.monotonic()
        return is_due


class Line(logging.Formatter):
    """Format a record as one line: the time in UTC, the id of the request, an error as its type and places."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self, fmt: str = FORMAT) -> None:
        super().__init__(fmt)

    def format(self, record: logging.LogRecord) -> str:
        cleaned = logging.makeLogRecord(record.__dict__)
        cleaned.msg, cleaned.args, cleaned.exc_text = self.message(record), None, None
        if request_id := REQUEST.get():
            cleaned.name = f"{record.name} [{request_id}]"
        if record.exc_info and is_unreachable(record.exc_info[1]):
            cleaned.msg, cleaned.exc_info = f"{cleaned.msg} ({UNREACHABLE})", None
        return super().format(cleaned)

    def message(self, record: logging.LogRecord) -> str:
        # Celery says `%(exc)s` of a failed task.
        if isinstance(record.args, dict) and "exc" in record.args and record.exc_info and record.exc_info[0]:
            named = {**record.args, "exc": record.exc_info[0].__name__, "traceback": ""}
            return clean(str(record.msg) % named)
        return clean(record.getMessage())

    def formatException(self, ei: ErrorInfo) -> str:  # noqa: N802 - the name that logging uses
        """Return the places in the code and the types of an error and of its causes."""
        if is_unreachable(ei[1]):
            return UNREACHABLE
        parts = []
        for error in causes(ei[1]):
            places = "".join(traceback.format_tb(error.__traceback__))
            parts.append(f"{places}{type(error).__module__}.{type(error).__qualname__}")
        return "\nwhich caused:\n".join(reversed(parts))


class JsonLine(Line):
    """Format a record as a JSON object in one line: time, message and error, and the request or task.

    `request` is the id of the request, `task` and `task_id` name the task; they are absent if there is none.
    """

    def format(self, record: logging.LogRecord) -> str:
        task, task_id = TASK.get() or (None, None)
        fields = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": self.message(record),
            "process": record.process,
            "request": REQUEST.get() or None,
            "task": task,
            "task_id": task_id,
            "error": self.formatException(record.exc_info) if record.exc_info else None,
        }
        return json.dumps({name: value for name, value in fields.items() if value is not None})


FORMATS = {"text": Line, "json": JsonLine}
# A line of text or a JSON object for each message.
LOG_FORMAT = value("MOSS_LOG_FORMAT")


def clean(message: str) -> str:
    """Return a message as one printable line without the keys of links, queries and values of rows."""
    message = RESULT_PAGE.sub("/results/-", SHARE_LINK.sub("/shared/-", DETAIL.sub("", message)))
    message = QUERY.sub(r"\1", message)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
