"""The time limit of what reads files: on some texts, some lexers never end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class TooSlow(BaseException):
    """Raised at the end of the time limit, or of the steps that a lexer may take.

    Not an `Exception`, so that no lexer's own `except` catches it.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the body of a `with` statement after `seconds`; for the main thread of a process.

    The timer repeats, in case the first signal arrives during code that cannot be interrupted. Python's
    regular expressions can be interrupted: they check for signals while they backtrack.
    """

    def stop(_signal: int, _frame: object) -> NoReturn:
        raise TooSlow

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
