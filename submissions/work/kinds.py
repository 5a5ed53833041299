"""The registry of background work: a kind is one row. It needs no Django, as the settings read it.

The rows of the packages above this app are in `moss.outgoing_kinds`; `settings.WORK_KINDS` has all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from submissions.work.queues import INTERACTIVE

if TYPE_CHECKING:
    from collections.abc import Iterable

HOUR = 60 * 60
MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work. The functions are dotted paths, imported in workers only.

    `function` gets a job and carries it out; running it twice must be safe. `failed` gets a job that has
    failed and a message for people, `shown` one that is started or waits again, its state and why; both in
    the transaction of that change. After `seconds` the function gets
    SoftTimeLimitExceeded, and after `grace` more its process is ended. The `priority` is that of messages in
    the interactive queue, 0 first and 9 last. What ends its worker is started `attempts` times. With
    `at_once`, a user has so many jobs of this kind started at a time. `is_slow_again`: what has to be tried
    again goes to the heavy queue. `followed_by` names the kind that goes on with the same subject: work of a
    user counts as started until that is done. What does not `give_up` outlives errors and the end of its
    time: each of its parts counts its own attempts. `is_same_version`: a job is for workers of the version
    that enqueued it.
    """

    name: str
    function: str
    failed: str = ""
    shown: str = ""
    seconds: int = 9 * 60
    grace: int = 60
    priority: int = 6
    attempts: int = MAX_ATTEMPTS
    at_once: int | None = None
    followed_by: str = ""
    gives_up: bool = True
    is_slow_again: bool = False
    is_same_version: bool = False

    @property
    def task(self) -> str:
        """The name of its Celery task."""
        return f"work.{self.name}"


KINDS = (
    # One transaction over many tables: the limit only ends one that would never end. So for merging.
    Kind(
        "erase_student",
        "submissions.students.erasing.carry_out",
        "submissions.students.erasing.fail",
        seconds=HOUR,
        priority=3,
    ),
    # A user has two uploads started at a time: with one, the workers would be idle between its steps.
    Kind(
        "unpack",
        "submissions.reading.unpack",
        "submissions.reading.fail_batch",
        "submissions.reading.show_batch",
        at_once=2,
        followed_by="read_documents",
    ),
    # What is nearest to its end goes first: an upload that was started is not overtaken by those that wait.
    Kind(
        "read_documents",
        "submissions.reading.read_documents",
        "submissions.reading.fail_batch",
        "submissions.reading.show_batch",
        priority=3,
        gives_up=False,
    ),
    Kind(
        "read_boilerplate",
        "submissions.reading.read_boilerplate",
        "submissions.reading.fail_boilerplate",
        "submissions.reading.show_boilerplate",
    ),
    Kind(
        "fingerprint_boilerplate", "submissions.reading.fingerprint_boilerplate", priority=3, gives_up=False
    ),
    Kind(
        "change_language",
        "submissions.reading.change_language",
        "submissions.reading.fail_change",
        "submissions.reading.show_change",
    ),
    Kind(
        "read_again",
        "submissions.reading.read_again",
        "submissions.reading.fail_change",
        "submissions.reading.show_change",
        priority=3,
        gives_up=False,
    ),
    Kind("merge_postings", "submissions.storage.posting_runs.merge", seconds=HOUR),
    Kind("corpus_shard", "submissions.corpus.computing.compute", is_same_version=True),
)


def routes(kinds: Iterable[Kind]) -> dict[str, dict[str, object]]:
    """Return the routes of the Celery tasks of these kinds."""
    return {kind.task: {"queue": INTERACTIVE, "priority": kind.priority} for kind in kinds}
