"""The health check: the database, the broker and the workers."""

import time
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from moss.celery import app
from moss.operations import monitoring
from moss.operations.monitoring import RECENT_SECONDS, PartCheck
from submissions.work import heartbeats
from submissions.work.jobs import announce, kind_of
from submissions.work.kinds import HEAVY, INTERACTIVE, QUEUES
from tests.conftest import wait_until
from tests.support.processes import stopped


@pytest.mark.django_db
def test_the_check_succeeds_when_database_and_broker_answer(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 200
    assert {"database": True, "broker": True}.items() <= response.json().items()
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_broker_that_does_not_answer_fails_the_check(client: Client, tmp_path: Path) -> None:
    with override_settings(REDIS_URL=f"unix://{tmp_path}/nobody.sock"):
        response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {
        "database": True,
        "schema": True,
        "broker": False,
        "workers": False,
        "maintenance": False,
        "queues": {},
    }


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_fails_the_check(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        response = client.get("/healthz")
        connection.close()
    assert response.status_code == 503
    assert {"database": False, "broker": True}.items() <= response.json().items()


@pytest.mark.long
def test_a_worker_that_answers_is_reported_and_one_that_is_stopped_is_not(
    celery_worker_process: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def workers_answer() -> bool:
        return bool(client.get("/healthz").json()["workers"])

    wait_until(workers_answer, what="a sign of life")
    [worker] = heartbeats.workers()
    assert (set(worker.queues), worker.processes) == ({*QUEUES}, 1)
    monkeypatch.setattr(heartbeats, "FRESH", timedelta(seconds=4))
    with stopped([worker.pid]):
        wait_until(lambda: not workers_answer(), what="the end of the signs of life")
    wait_until(workers_answer, what="a sign of life")


@pytest.mark.django_db
@pytest.mark.parametrize("queue", QUEUES)
def test_a_queue_without_a_worker_is_reported_and_the_check_succeeds(
    queue: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = heartbeats.Worker("alone", 1, [queue], 1, "", "", "", timezone.now().isoformat())
    monkeypatch.setattr(heartbeats, "workers", lambda: [alone])
    response = client.get("/healthz")
    assert response.status_code == 200
    assert {"database": True, "broker": True, "workers": False}.items() <= response.json().items()


@pytest.mark.django_db
def test_the_lengths_of_the_queues_are_reported(client: Client) -> None:
    app.control.purge()
    announce(kind_of("unpack"), HEAVY)
    try:
        assert client.get("/healthz").json()["queues"] == {INTERACTIVE: 0, HEAVY: 1}
    finally:
        app.control.purge()


@pytest.mark.parametrize(("age", "answers"), [(0.0, True), (RECENT_SECONDS + 1, False)])
def test_an_answer_counts_while_it_is_recent(monkeypatch: pytest.MonkeyPatch, *, age: float, answers: bool) -> None:
    monkeypatch.setattr(monitoring, "HEALTH_SECONDS", 0.05)
    free, silent = Event(), {"part": False}

    def ask() -> dict[str, bool]:
        free.wait(60)
        return {"part": True}

    free.set()
    check = PartCheck(ask, silent)
    check.begin().result(60)
    check._answered -= age
    free.clear()
    assert check.wait(check.begin(), time.monotonic()) == {"part": answers}
    free.set()


def test_signs_of_life_are_no_error_without_a_broker(tmp_path: Path) -> None:
    worker = heartbeats.Worker("alone", 1, [HEAVY], 1, "", "", "")
    with override_settings(REDIS_URL=f"unix://{tmp_path}/nobody.sock"):
        heartbeats.save_worker(worker)
        assert heartbeats.workers() == []
