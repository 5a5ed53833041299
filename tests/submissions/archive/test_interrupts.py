"""Ctrl-C while work is shared with workers."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from submissions.archive.jobs import interrupts_held


@pytest.fixture(autouse=True)
def ctrl_c_raises() -> Iterator[None]:
    """Have the handler of Python, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_is_raised_where_the_block_asks_for_it() -> None:
    with interrupts_held() as raise_held:
        raise_held()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            raise_held()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_second_ctrl_c_is_raised_at_once() -> None:
    with interrupts_held():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_process_that_ignores_ctrl_c_still_does() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts_held() as raise_held:
        signal.raise_signal(signal.SIGINT)
        raise_held()


def test_other_threads_leave_the_handler() -> None:
    def handler() -> object:
        with interrupts_held():
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(handler).result() is signal.default_int_handler
