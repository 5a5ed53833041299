"""Lines of the log, without what belongs in none: errors may quote files, and links are secrets."""

from __future__ import annotations

import logging
import re
import time
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
SHARE_LINK = re.compile(r"/shared/[^/\s?'\"]+")
RESULT_PAGE = re.compile(r"/results/\d+/[^/\s?'\"]+")
QUERY = re.compile(r"(/[^\s?'\"]*)\?[^\s'\"]*")
# Postgres quotes values of rows in the lines after the first of its messages.
DETAIL = re.compile(r"\n(?:DETAIL|CONTEXT|LINE \d+):.*", re.DOTALL)


class Line(logging.Formatter):
    """Format a record as one line with the time in UTC, and an error as its type and place in the code."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self, fmt: str = FORMAT) -> None:
        super().__init__(fmt)

    def format(self, record: logging.LogRecord) -> str:
        record = logging.makeLogRecord(record.__dict__)
        # Celery says `%(exc)s` of a failed task.
        if isinstance(record.args, dict) and "exc" in record.args and record.exc_info and record.exc_info[0]:
            record.args = {**record.args, "exc": record.exc_info[0].__name__, "traceback": ""}
        record.msg, record.args = clean(record.getMessage()), None
        record.exc_text = None
        return super().format(record)

    def formatException(self, ei: ErrorInfo) -> str:  # noqa: N802 - the name that logging uses
        """Return the places in the code and the types of an error and of those that caused it."""
        parts, error = [], ei[1]
        while error:
            places = "".join(traceback.format_tb(error.__traceback__))
            parts.append(f"{places}{type(error).__module__}.{type(error).__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nwhich caused:\n".join(reversed(parts))


def clean(message: str) -> str:
    """Return a message as one printable line without the keys of links, queries and values of rows."""
    message = RESULT_PAGE.sub("/results/-", SHARE_LINK.sub("/shared/-", DETAIL.sub("", message)))
    message = QUERY.sub(r"\1", message)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
