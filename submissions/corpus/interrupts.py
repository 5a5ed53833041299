"""Ctrl-C while work is shared with workers: raised between statements, never inside a transaction."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def interrupts_held() -> Iterator[Callable[[], None]]:
    """Hold the first Ctrl-C of the block back; yield a function that raises KeyboardInterrupt for it.

    Django does not leave a transaction that KeyboardInterrupt interrupts while it begins: what is deleted
    afterwards would stay. A second Ctrl-C is raised at once. Nothing is done in other threads than the main
    one, which gets the signals, and where another handler is set.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is not signal.default_int_handler:
        yield lambda: None
        return
    is_pressed = False

    def hold(*_: object) -> None:
        nonlocal is_pressed
        is_pressed = True
        signal.signal(signal.SIGINT, before)

    def raise_held() -> None:
        if is_pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, hold)
    try:
        yield raise_held
    finally:
        signal.signal(signal.SIGINT, before)
