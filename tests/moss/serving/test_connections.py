"""The threads of a web server share few connections to the database, however many clients there are."""

import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from pytest_django.fixtures import Settings

from moss.operations import doctor as services
from moss.serving import gunicorn_conf
from submissions.work import heartbeats
from tests.support.cutting_proxy import cutting_proxy
from tests.support.web_server import ask, read_answer, web_server

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


# Of a session that is looked up in the database, where there is none.
SESSION = f"sessionid={'x' * 32}"


def sessions(besides: set[int]) -> list[int]:
    """Return the process ids of the database's sessions, but for some."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return [pid for (pid,) in cursor.fetchall() if pid not in besides]


@pytest.mark.long
def test_a_hundred_clients_get_answers_by_two_connections() -> None:
    before, most = {*sessions(set())}, 0
    with web_server(MOSS_WEB_CONNECTIONS="2") as port, ThreadPoolExecutor(32) as clients:
        answers = [clients.submit(ask, port, "/", cookie=SESSION) for _ in range(100)]
        while not all(answer.done() for answer in answers):
            most = max(most, len(sessions(before)))
        assert [answer.result().status for answer in answers] == [302] * 100
        assert 1 <= max(most, len(sessions(before))) <= 2


@pytest.mark.long
def test_sessions_that_ended_are_replaced() -> None:
    before = {*sessions(set())}
    with web_server(MOSS_WEB_CONNECTIONS="2") as port:
        assert ask(port, "/", cookie=SESSION).status == 302
        ended = sessions(before)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS t (pid)", [ended])
        assert ended
        assert ask(port, "/", cookie=SESSION).status == 302


@contextmanager
def dead_address(how: str) -> Iterator[str]:
    """Yield the address of a server that refuses connections, drops all packets, or never answers."""
    backlog = 0 if how == "drops" else 100
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener, ExitStack() as clients:
        address = listener.getsockname()
        if how == "refuses":
            listener.close()
        # The kernel drops what comes to a listener with more connections than it may keep.
        for _ in range(4 if how == "drops" else 0):
            client = clients.enter_context(socket.socket())
            client.settimeout(0)
            client.connect_ex(address)
        yield f"127.0.0.1:{address[1]}"


@pytest.mark.parametrize(("database", "broker"), [("refuses", "drops"), ("drops", "hangs"), ("hangs", "refuses")])
def test_whatever_is_dead_the_health_check_answers_at_once_and_names_it(database: str, broker: str) -> None:
    with dead_address(database) as postgres, dead_address(broker) as valkey:
        dead = {"DATABASE_URL": f"postgresql://moss@{postgres}/moss", "REDIS_URL": f"redis://{valkey}/0"}
        with web_server(**dead, DATABASE_OWNER_URL="") as port, ThreadPoolExecutor(8) as clients:
            assert ask(port, "/favicon.ico").status == 302  # it runs
            took = list[float]()
            for others in (0, 7):
                waiting = [clients.submit(timed, port, "/accounts/login/") for _ in range(others)]
                status, text, seconds = timed(port, "/healthz")
                answer = json.loads(text)
                parts = status, answer["database"], answer["broker"]
                took.append(seconds)
                assert (parts, seconds < 2) == ((503, False, False), True), seconds
                answers = [one.result() for one in waiting]
                if database == "refuses":
                    assert {status for status, _, seconds in answers if seconds < 3} <= {200, 503}
                    status, _, seconds = timed(port, "/", cookie=SESSION)
                    assert (status, seconds < 2) == (503, True), seconds
            assert min(took) < 1, took


def test_a_database_that_goes_away_is_said_at_once_and_in_a_line_for_each_request(tmp_path: Path) -> None:
    [run] = parse_qs(urlsplit(settings.PATHS.database_url).query)["host"]
    log = tmp_path / "log"
    away = r"django.request \[[0-9a-f]{32}\]: Service Unavailable: / \(no connection to the database\)"
    with ExitStack() as servers:
        with cutting_proxy(Path(run, ".s.PGSQL.5432")) as proxy:
            url = f"postgresql://moss_service@127.0.0.1:{proxy.port}/{connection.settings_dict['NAME']}"
            port = servers.enter_context(web_server(log=str(log), DATABASE_URL=url, DATABASE_OWNER_URL=""))
            with ThreadPoolExecutor(8) as clients:
                assert {clients.submit(ask, port, "/", cookie=SESSION).result().status for _ in range(16)} == {302}
            proxy.is_down = True
        log.write_text("")
        for _ in range(3):
            status, _, seconds = timed(port, "/", cookie=SESSION)
            assert (status, seconds < 3) == (503, True), seconds
        lines = log.read_text().splitlines()
    errors = [line.partition(" ERROR ")[2] for line in lines if "ERROR" in line]
    assert [bool(re.fullmatch(away, error)) for error in errors] == [True] * 3, errors
    assert [line.partition(" WARNING ")[2][:37] for line in lines if "ERROR" not in line] == [
        "psycopg.pool: error connecting in 'po"
    ]


def test_a_process_answers_pages_before_it_takes_requests() -> None:
    application, answered = get_wsgi_application(), list[tuple[str, str]]()

    def noted(environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, *rest: Any) -> Any:
            answered.append((environ["PATH_INFO"], status))
            return start_response(status, *rest)

        return application(environ, start)

    gunicorn_conf.post_worker_init(SimpleNamespace(wsgi=noted, app=SimpleNamespace(app_uri="moss.wsgi")))
    assert answered == [("/accounts/login/", "200 OK")]


def timed(port: int, path: str, **headers: str) -> tuple[int, str, float]:
    started = time.monotonic()
    return *read_answer(port, path, **headers), time.monotonic() - started


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
