"""The registry of background work: a kind is one row; and the two queues. The settings read it: no Django.

The reason why work ended without its result is stored as a sentence, which pages translate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fingerprint.reasons import gettext_noop

BROKEN = gettext_noop(
    "An error on the server; its log has the details. Try again, or report it to whoever runs this server."
)
OUT_OF_TIME = gettext_noop("This took longer than a worker may spend on it. Upload it in smaller parts.")
ENDED_PROCESS = gettext_noop(
    "This ended the process that worked on it {n} times; the log of the server may say why. Try it in smaller parts."
)
REMOVED = gettext_noop(
    "This upload had work of a student who was erased, and was not read yet: it was removed whole. "
    "Upload it again without this student."
)
REMOVED_UNSEARCHED = gettext_noop(
    "A student was erased, and this upload, which was not read yet, could not be searched for the name: it "
    "was removed whole. Upload it again without this student."
)
FILE_UNSEARCHED = gettext_noop(
    "a student was erased, and this file could not be searched for the name in time: it was removed"
)
ERASED = (REMOVED, REMOVED_UNSEARCHED, FILE_UNSEARCHED)

INTERACTIVE, HEAVY = "interactive", "heavy"
QUEUES = (INTERACTIVE, HEAVY)
# Heavy work is served in the order of its messages, after all interactive work.
HEAVY_ROUTE: dict[str, Any] = {"queue": HEAVY, "priority": 9}
# What takes longer than its size promised goes on in the heavy queue after this time, in seconds.
INTERACTIVE_SECONDS = 20
HOUR = 60 * 60
MAX_ATTEMPTS = 3

READING, RANKING = "submissions.uploads.jobs", "submissions.reports.jobs"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work, and the functions of `module` for it, by name; it is imported in workers only.

    The function with the name of the kind gets a job and carries it out; running it twice must be safe.
    `failed` gets a failed job and a message for people; `on_change` gets a job that is started or waits
    again, its new state and the reason; both run in the transaction of the change.

    After `seconds` the function gets SoftTimeLimitExceeded, and after `grace` more its process is ended; if
    `quiet` is set, only work that sends no query for so many seconds is stuck. The `priority` is for messages
    in the interactive queue, 0 first and 9 last. A job that ends its worker is started `attempts` times; a
    job without `gives_up` outlives this and errors, as each of its parts counts its own attempts.

    With `at_once`, a user has so many jobs started at a time; a job counts until a job of the kind `followed_by` has
    done with the same subject. `part_of` is the kind of the whole job, whose subject is the `part` of each of its jobs;
    the whole job goes on after the last part. `is_slow_again`: a job that has to be tried again goes to the heavy
    queue. `is_same_version`: a job is for workers of the version that enqueued it.
    """

    name: str
    module: str
    failed: str = ""
    on_change: str = ""
    seconds: int = 9 * 60
    grace: int = 60
    quiet: int = 0
    priority: int = 6
    attempts: int = MAX_ATTEMPTS
    gives_up: bool = True
    at_once: int = 0
    followed_by: str = ""
    part_of: str = ""
    is_slow_again: bool = False
    is_same_version: bool = False

    @property
    def task(self) -> str:
        """The name of its Celery task."""
        return f"work.{self.name}"


KINDS = (
    # A user has two uploads started at a time: with one, the workers would be idle between its steps.
    Kind("unpack", READING, "fail_batch", "show_batch", at_once=2, followed_by="read_documents"),
    # Uploads nearest to their end go first: waiting uploads do not overtake an upload that was started.
    Kind("read_documents", READING, "fail_batch", "show_batch", priority=3, gives_up=False),
    Kind("read_boilerplate", READING, "fail_boilerplate", "show_boilerplate"),
    Kind("fingerprint_boilerplate", READING, priority=3, gives_up=False),
    Kind("change_language", READING, "fail_change", "show_change"),
    Kind("read_again", READING, "fail_change", "show_change", priority=3, gives_up=False),
    # A ranking takes as long as its class needs and can be cancelled; the limit is for rankings that hang.
    Kind("rank", RANKING, "fail_ranking", "show_ranking", seconds=12 * HOUR, priority=0, quiet=10 * 60),
    Kind(
        "score_shard", RANKING, "fail_shard", seconds=12 * HOUR, priority=0, quiet=10 * 60,
        part_of="rank", is_same_version=True,
    ),
    # Somebody waits for it on a page; it changes nothing but its row.
    Kind("measure_ignoring", "submissions.reports.jobs", "fail_ignoring", priority=0),
    # One transaction over many tables; the limit is for jobs that hang. The same holds for merging.
    Kind("erase_student", "submissions.students.erasing", "fail_erasure", seconds=HOUR, priority=3),
    Kind("merge_postings", "submissions.uploads.fingerprinting", seconds=HOUR),
    Kind("corpus_shard", "submissions.archive.jobs", is_same_version=True),
)  # fmt: skip


class TakesLong(Exception):
    """Interactive work took longer than INTERACTIVE_SECONDS; it belongs into the heavy queue."""
