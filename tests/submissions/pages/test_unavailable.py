"""A page says what the server cannot do just now."""

import subprocess
import sys

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from submissions.models import Batch
from tests.conftest import worker_environment
from tests.support.html import page_of
from tests.support.paths import ROOT

pytestmark = pytest.mark.services


@pytest.mark.django_db(transaction=True)
def test_a_page_does_not_wait_for_ever_for_what_a_worker_holds(
    batch: Batch, alice_client: Client, other_session: psycopg.Connection
) -> None:
    alice_client.raise_request_exception = False
    connection.cursor().execute("SET lock_timeout = '300ms'")  # as the web server does, see below
    with other_session.transaction():
        query = "SELECT 1 FROM submissions_assignment WHERE id = %s FOR NO KEY UPDATE"
        other_session.execute(query, [batch.assignment_id])
        response = alice_client.post(reverse("delete_batch", args=[batch.pk]))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    page = page_of(response)
    assert page.text("h1") == "Being changed just now"
    assert "Try again in a moment." in page.text()
    assert Batch.objects.filter(pk=batch.pk).exists()
    assert alice_client.post(reverse("delete_batch", args=[batch.pk])).status_code == 302
    assert not Batch.objects.filter(pk=batch.pk).exists()


@pytest.mark.long
def test_only_the_web_server_limits_how_long_it_waits_for_a_lock(db: None) -> None:
    def lock_timeout(started: str) -> str:
        show = "cursor = connection.cursor(); cursor.execute('SHOW lock_timeout'); print(*cursor.fetchone())"
        command = [sys.executable, "-c", f"{started}; from django.db import connection; {show}"]
        output = subprocess.check_output(command, env=worker_environment(), text=True, cwd=ROOT)
        return output.strip()

    assert lock_timeout("import moss.wsgi") == "5s"
    assert lock_timeout("import moss.celery, django; django.setup()") == "0"


def test_a_database_that_is_away_is_no_error_of_ours(
    alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr("submissions.courses.views.listed_courses", away)
    alice_client.raise_request_exception = False
    response = alice_client.get(reverse("courses"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert page_of(response).text("h1") == "The database does not answer"
