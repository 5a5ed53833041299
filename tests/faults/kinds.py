"""Kill the workers during a chosen kind of background work, for `tests.faults`."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable

import psycopg
from django.conf import settings

from bench.installation import Installation

# By kind: what a person does (a method of `BusyPerson`) that causes this work. A test compares it with the
# registry, and each seed that all of it was done.
CAUSES = {
    "unpack": "upload_waiting", "read_documents": "upload_waiting", "read_boilerplate": "add_boilerplate",
    "fingerprint_boilerplate": "add_boilerplate", "change_language": "change_language",
    "read_again": "change_language", "rank": "rank_again", "measure_ignoring": "propose_to_ignore",
    "score_shard": "upload_large_class", "erase_student": "erase_student", "merge_postings": "rank_again",
    "corpus_shard": "add_to_corpus", "deliver": "send_test", "tell_owner": "stop_webhook",
    "mail_report": "upload_waiting", "fetch_repositories": "list_repositories",
}  # fmt: skip
# How long to wait for a kind, and how long the process ids of the workers are taken to be the same.
START_SECONDS, FRESH_SECONDS = 40, 3
# How long to wait until work is done that a worker was lost with twice: after a third time it may fail.
CALM_SECONDS = 60
# How long the database may take to recover from a killed session.
ANSWER_SECONDS = 60
STARTED = "SELECT id, attempts FROM submissions_job WHERE kind = %s AND state = 'running' ORDER BY id LIMIT 1"
SAME = "SELECT count(*) FROM submissions_job WHERE id = %s AND attempts = %s AND state = 'running'"
TRIED_TWICE = """
    SELECT count(*) FROM submissions_job
    WHERE state <> 'failed' AND attempts >= 2 AND due < now() + interval '10 seconds'
"""


def kinds_of(seed: int) -> list[str]:
    """Return the kinds during which a seed kills the workers: two seeds one after another have them all."""
    return sorted(CAUSES)[seed % 2 :: 2]


def kill_during(
    kind: str, installation: Installation, rng: random.Random, cause: Callable[[str], object]
) -> tuple[bool, str]:
    """Kill all workers while a job of a kind is being carried out; return whether one was, and what was done.

    `cause` has a person do what the work comes from.
    """
    try:
        with _answering_database() as session:
            if not _gets_calm(session):
                return False, f"work that was tried twice is not done after {CALM_SECONDS} s"
            cause(CAUSES[kind])
            killed_job = _kill_at_start(session, kind, installation, rng)
            if killed_job is None:
                return False, f"none was started within {START_SECONDS} s"
            is_hit = bool(session.execute(SAME, killed_job).fetchone() == (1,))
    except psycopg.OperationalError as error:
        return False, f"the database does not answer: {error}"
    return is_hit, "in the middle of it" if is_hit else "it had just ended"


def _answering_database() -> psycopg.Connection:
    """Return a session of the database, which may still be recovering from an earlier fault."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        try:
            return psycopg.connect(settings.DATABASE_URL, autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def _gets_calm(session: psycopg.Connection) -> bool:
    """Wait for work that a worker was lost with twice; return whether there is none any more."""
    deadline = time.monotonic() + CALM_SECONDS
    while session.execute(TRIED_TWICE).fetchone() != (0,):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.5)
    return True


def _kill_at_start(
    session: psycopg.Connection, kind: str, installation: Installation, rng: random.Random
) -> tuple[int, int] | None:
    """Kill the workers soon after a job was started; return its key and its attempts, None without one."""
    deadline, listed_at = time.monotonic() + START_SECONDS, 0.0
    workers: list[int] = []
    while time.monotonic() < deadline:
        if time.monotonic() - listed_at > FRESH_SECONDS:
            workers = [process.pid for process in installation.processes("celery", "worker")]
            listed_at = time.monotonic()
        if (job := session.execute(STARTED, [kind]).fetchone()) and workers:
            time.sleep(rng.choice((0, 0, 0.01, 0.05)))
            _kill(workers)
            return job[0], job[1]
        time.sleep(0.001)
    return None


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(pid, signal.SIGKILL)
