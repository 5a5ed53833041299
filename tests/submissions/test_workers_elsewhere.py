"""Workers on other machines: they share Postgres and Valkey with the server, and no folder."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.core.files.storage import default_storage

from moss.celery import app
from submissions import actions
from submissions.models import Course, FileChunk
from tests.conftest import wait_until, worker_environment
from tests.submissions.test_tasks import names, wait_for
from tests.support.sample_class import CLASS, zipped
from tests.support.task_queue import forget_connections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from django.contrib.auth.models import User

# The settings of the tests make the prefix of the queues of it.
TEST_PROCESS = "elsewhere"


@pytest.fixture
def own_queues(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(app.conf.broker_transport_options, "global_keyprefix", f"test-{TEST_PROCESS}:")
    forget_connections()
    app.control.purge()
    yield
    forget_connections()


@contextmanager
def worker_elsewhere(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker whose home, temporary folder and working folder are in `place`."""
    for folder in ("home", "temporary", "work"):
        (place / folder).mkdir(parents=True)
    variables = worker_environment() | {
        "PYTEST_XDIST_WORKER": TEST_PROCESS,
        "REDIS_URL": settings.REDIS_URL,
        "MOSS_TEST_HOME": str(place / "home"),
        "TMPDIR": str(place / "temporary"),
        "PYTHONPATH": os.pathsep.join([str(settings.BASE_DIR)]),
    }
    command = [sys.executable, "-m", "celery", "-A", "moss", "worker", "--concurrency=1"]
    log = place / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=place / "work",
        )
    try:
        wait_until(lambda: b" ready." in log.read_bytes() or process.poll() is not None, what="the worker")
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        process.wait(60)


def test_a_worker_with_a_home_of_its_own_reads_an_upload_and_ranks_it(
    alice: User, own_queues: None, tmp_path: Path
) -> None:
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    batch = actions.create_batch(assignment, alice, [zipped(CLASS)])
    stored = batch.uploads.get().file.name
    assert default_storage.exists(stored)
    assert not (settings.MEDIA_ROOT / stored).exists()
    with worker_elsewhere(tmp_path):
        assert wait_for(batch).state == "done"
    top = assignment.reports.get().pairs.first()
    assert top is not None
    assert names([top]) == [("ada", "ben")]
    assert not FileChunk.objects.exists()
