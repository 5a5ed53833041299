"""Answers for web requests that are computed in a thread, as students wrote what they are made of.

At most SLOTS requests of a process wait for an answer, each for a few seconds; all others get NotYet at once,
and ask again. So the other threads of the process are free, whatever an upload does to its child.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, wait
from dataclasses import dataclass
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Compute = Callable[[], Any]

# Seconds that a request waits, and requests of a process that wait at a time.
WAIT_SECONDS, SLOTS = 5.0, 4
# Answers that wait to be computed; those that are kept, and the seconds for which one is.
MAX_WAITING, MAX_KEPT, KEPT_SECONDS = 20, 8, 60.0


class NotYet(Exception):
    """The answer is not there; ask again."""


@dataclass(slots=True)
class _Asked:
    key: object
    answer: Future[Any]
    ended: float = 0.0

    def __post_init__(self) -> None:
        self.answer.add_done_callback(self._end)

    def _end(self, _answer: Future[Any]) -> None:
        self.ended = time.monotonic()


class Later:
    """Computes answers in one thread of this process, in the order in which they were asked for.

    The thread stays: the kernel ends a child when the thread that started it ends.
    """

    def __init__(self, seconds: float = WAIT_SECONDS, slots: int = SLOTS) -> None:
        self.seconds = seconds
        self._slots, self._lock = BoundedSemaphore(slots), Lock()
        self._asked: dict[Hashable, _Asked] = {}
        self._queue: SimpleQueue[tuple[Future[Any], Compute]] = SimpleQueue()
        self._owner = 0

    def get(self, subject: Hashable, key: object, prepare: Callable[[], Compute]) -> Any:
        """Return the answer of a key about a subject, or raise its error.

        For a new key `prepare` is called at once, and what it returns in the thread. A new key of a subject
        takes the place of an earlier one that waits.

        Raises
        ------
        NotYet
        """
        answer = self._answer(subject, key) or self._ask(subject, key, prepare)
        if not answer.done() and self._slots.acquire(blocking=False):
            try:
                wait([answer], self.seconds)
            finally:
                self._slots.release()
        if not answer.done() or answer.cancelled():
            raise NotYet
        return answer.result()

    def _answer(self, subject: Hashable, key: object) -> Future[Any] | None:
        with self._lock:
            self._drop_old()
            one = self._asked.get(subject)
            return one.answer if one and one.key == key else None

    def _ask(self, subject: Hashable, key: object, prepare: Callable[[], Compute]) -> Future[Any]:
        """Have an answer computed. Of two requests that ask at once, the second takes the place."""
        with self._lock:
            if sum(not one.answer.done() for one in self._asked.values()) >= MAX_WAITING:
                raise NotYet
        compute = prepare()
        answer: Future[Any] = Future()
        with self._lock:
            self._start()
            if earlier := self._asked.pop(subject, None):
                earlier.answer.cancel()
            self._asked[subject] = _Asked(key, answer)
            self._queue.put((answer, compute))
        return answer

    def _drop_old(self) -> None:
        ended = sorted(
            (one.ended, number, subject)
            for number, (subject, one) in enumerate(self._asked.items())
            if one.answer.done()
        )
        oldest = time.monotonic() - KEPT_SECONDS
        for place, (since, _, subject) in enumerate(reversed(ended)):
            if since < oldest or place >= MAX_KEPT:
                del self._asked[subject]

    def _start(self) -> None:
        if self._owner != os.getpid():
            self._owner = os.getpid()
            Thread(target=self._compute, name="later", daemon=True).start()

    def _compute(self) -> None:
        while True:
            answer, compute = self._queue.get()
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(compute())
                except Exception as error:  # noqa: BLE001 - whoever asks gets it
                    answer.set_exception(error)
            # Nothing of an upload is held while the thread waits.
            del answer, compute


LATER = Later()
