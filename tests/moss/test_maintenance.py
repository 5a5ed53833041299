"""The maintenance process: it goes on after errors, and says that it lives."""

import logging

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client

from moss.operations import maintenance
from submissions.work import heartbeats

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_sign_of_life() -> None:
    cache.delete(heartbeats.MAINTENANCE)


def test_a_completed_round_is_reported_by_the_health_check(client: Client) -> None:
    assert client.get("/healthz").json()["maintenance"] is False
    maintenance.maintain_once()
    assert client.get("/healthz").json()["maintenance"] is True


def test_an_error_of_the_database_is_logged_and_not_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(maintenance, "sweep", broken)
    with caplog.at_level(logging.WARNING, "moss.operations.maintenance"):
        maintenance.maintain_once()
    assert caplog.messages == ["lost work could not be looked for: the server closed the connection"]
    assert not maintenance.is_maintained()
