"""The health check: the database, the broker and the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from celery import Celery
from django.conf import settings
from django.db import connection
from django.test import override_settings

from moss import health

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client


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
        "broker": False,
        "workers": False,
        "maintenance": False,
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


def test_a_worker_that_answers_is_reported(celery_worker_process: Path, client: Client) -> None:
    assert client.get("/healthz").json()["workers"] is True


@pytest.mark.django_db
def test_the_check_succeeds_without_a_worker_and_reports_that(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    unused_queue = {"global_keyprefix": "nobody:", "fanout_prefix": "/nobody."}
    app_without_workers = Celery("without-workers", broker=settings.CELERY_BROKER_URL, set_as_current=False)
    app_without_workers.conf.broker_transport_options = unused_queue
    monkeypatch.setattr(health, "app", app_without_workers)
    response = client.get("/healthz")
    assert response.status_code == 200
    assert {"database": True, "broker": True, "workers": False}.items() <= response.json().items()
