"""A limit on how long one file may take: some lexers need for ever on some texts."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


class TooSlow(BaseException):
    """Out of time. Not an Exception, so that no lexer's own `except` can swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body once it has run for `seconds`; for the main thread of a process.

    The interval repeats, in case the first signal falls into code that cannot be interrupted. Python's
    regular expressions can: they look for signals while they backtrack.
    """

    def stop(_signal: int, _frame: object) -> NoReturn:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
