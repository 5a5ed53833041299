"""The health check tells a working installation from one that only looks so."""

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
def test_all_is_well_when_database_and_broker_answer(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert {"database": True, "broker": True}.items() <= answer.json().items()
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_broker_that_is_gone_is_said(client: Client, tmp_path: Path) -> None:
    with override_settings(REDIS_URL=f"unix://{tmp_path}/nobody.sock"):
        answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"database": True, "broker": False, "workers": False}


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_gone_is_said(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        answer = client.get("/healthz")
        connection.close()
    assert answer.status_code == 503
    assert {"database": False, "broker": True}.items() <= answer.json().items()


def test_a_worker_that_answers_is_said(celery_worker_process: Path, client: Client) -> None:
    assert client.get("/healthz").json()["workers"] is True


@pytest.mark.django_db
def test_pages_are_served_without_a_worker_and_it_is_said(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_of_nobody = {"global_keyprefix": "nobody:", "fanout_prefix": "/nobody."}
    lonely = Celery("lonely", broker=settings.CELERY_BROKER_URL, set_as_current=False)
    lonely.conf.broker_transport_options = queue_of_nobody
    monkeypatch.setattr(health, "app", lonely)
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"database": True, "broker": True, "workers": False}
