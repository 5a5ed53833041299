"""The threads of a web server share few connections to the database, however many clients there are."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.db import connection

from moss.operations import doctor as services
from moss.serving import gunicorn_conf
from submissions.work import heartbeats
from tests.support.web_server import ask, web_server

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django.fixtures import Settings

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def sessions(besides: set[int]) -> list[int]:
    """Return the process ids of the database's sessions, but for some."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return [pid for (pid,) in cursor.fetchall() if pid not in besides]


@pytest.mark.long
def test_a_hundred_clients_get_answers_by_two_connections() -> None:
    before, most = {*sessions(set())}, 0
    with web_server(MOSS_WEB_CONNECTIONS="2") as port, ThreadPoolExecutor(32) as clients:
        answers = [clients.submit(ask, port, "/healthz") for _ in range(100)]
        while not all(answer.done() for answer in answers):
            most = max(most, len(sessions(before)))
        assert [answer.result().status for answer in answers] == [200] * 100
        assert 1 <= max(most, len(sessions(before))) <= 2


@pytest.mark.long
def test_sessions_that_ended_are_replaced() -> None:
    before = {*sessions(set())}
    with web_server(MOSS_WEB_CONNECTIONS="2") as port:
        assert ask(port, "/healthz").status == 200
        ended = sessions(before)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS t (pid)", [ended])
        assert ended
        assert ask(port, "/healthz").status == 200


@pytest.mark.long
def test_without_a_database_the_answer_comes_in_seconds(tmp_path: Path) -> None:
    nowhere = f"postgresql://moss@/moss?host={tmp_path}"
    with web_server(DATABASE_URL=nowhere, DATABASE_OWNER_URL="") as port:
        assert ask(port, "/favicon.ico").status == 302  # it runs
        started = time.monotonic()
        assert ask(port, "/healthz").status == 503
        assert time.monotonic() - started < settings.CONNECTION_SECONDS + 3


def test_doctor_says_for_how_many_web_servers_there_is_room(settings: Settings) -> None:
    assert gunicorn_conf.workers == settings.WEB_PROCESSES
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_connections")
        most = int(cursor.fetchone()[0])
    settings.WEB_CONNECTIONS = 10
    workers = sum(worker.processes + 1 for worker in heartbeats.workers() if worker.answers)
    finding = services.connections()
    room = (most - 3 - services.OTHER_CONNECTIONS - workers) // 20
    assert (finding.state, f"enough for {room} web servers" in finding.message) == ("ok", True), finding
    settings.WEB_CONNECTIONS = most
    finding = services.connections()
    assert (finding.state, "Raise max_connections of Postgres to" in finding.advice) == ("problem", True)
