"""A worker that is asked to end while a reader works finishes its task in time and loses nothing."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from moss.serving.supervisor import GRACE_SECONDS
from submissions.models import Course, Document
from submissions.work.locks import Work, sessions
from tests.conftest import wait_until, worker_environment
from tests.submissions.work.test_tasks import SLOW, upload, wait_for
from tests.support.processes import descendants
from tests.support.sample_class import CLASS


@contextmanager
def worker(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker of the queues of this test alone; yield it when it is ready."""
    command = [sys.executable, "-m", "celery", "-A", "moss", "worker", "--concurrency=1"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            env=worker_environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=settings.BASE_DIR,
        )
    try:
        wait_until(lambda: b" ready." in log.read_bytes() or process.poll() is not None, what="the worker")
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        process.wait(60)


def is_reading_slowly() -> bool:
    pending = Document.objects.filter(state="pending", attempts=1)
    return pending.filter(pk__in=sessions(Work.DOCUMENT), source__size__gt=1_000_000).exists()


@pytest.mark.long
def test_a_worker_with_a_busy_reader_ends_in_time(alice: User, separate_queues: None, tmp_path: Path) -> None:
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    with worker(tmp_path / "first.log") as first:
        batch = upload(assignment, alice, {**CLASS, "zoe/main.rb": SLOW})
        wait_until(is_reading_slowly, what="the slow file")
        children = descendants(first.pid, "submissions.intake.sandbox.child")
        assert children
        started = time.monotonic()
        first.terminate()
        assert first.wait(GRACE_SECONDS) == 0
        assert time.monotonic() - started < GRACE_SECONDS
    wait_until(lambda: not any(child.is_running() for child in children), what="the end of the readers")
    wait_until(lambda: not sessions(Work.DOCUMENT), what="the end of its sessions")
    with worker(tmp_path / "second.log"):
        assert wait_for(batch).state == "done"
    read_once = sorted(Document.objects.values_list("state", "attempts"))
    assert read_once == [("failed", 1), *[("ready", 1)] * len(CLASS)]
    assert assignment.reports.get().pairs.exists()
