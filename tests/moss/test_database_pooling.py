"""A pooler that shares sessions is refused by name: a real PgBouncer in each of its modes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import connection

from moss.operations import doctor as services
from moss.operations.database import ADVICE, SHARED, sessions_are_shared
from tests.conftest import worker_environment
from tests.support.long_rows import rest_is_long
from tests.support.pgbouncer import pgbouncer
from tests.support.processes import completed

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@contextmanager
def connected_through(port: int) -> Iterator[None]:
    """Have this process connect to the test database through a pooler."""
    before = dict(connection.settings_dict)
    connection.close()
    options = {key: value for key, value in before["OPTIONS"].items() if key != "host"}
    connection.settings_dict.update(HOST="127.0.0.1", PORT=str(port), OPTIONS=options)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.mark.parametrize(
    ("mode", "in_turn", "shared"),
    [("session", False, False), ("transaction", False, True), ("transaction", True, True)],
)
def test_shared_sessions_are_found_in_the_modes_that_share_them(*, mode: str, in_turn: bool, shared: bool) -> None:
    with pgbouncer(mode, in_turn=in_turn) as port, connected_through(port):
        assert sessions_are_shared() == shared
        finding = services.pooling()
    assert finding.state == ("problem" if shared else "ok")
    assert (finding.message == SHARED) == shared


def test_a_direct_connection_has_a_session_of_its_own() -> None:
    assert not sessions_are_shared()


def test_migrating_through_shared_sessions_is_refused() -> None:
    with (
        pgbouncer("transaction") as port,
        connected_through(port),
        pytest.raises(SystemExit, match="A pooler shares the sessions"),
    ):
        call_command("migrate", verbosity=0)


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments", rest_is_long([["-m", "moss", "maintain"], ["-m", "celery", "-A", "moss", "worker"]])
)
def test_what_holds_locks_does_not_start_with_shared_sessions(arguments: list[str]) -> None:
    name = connection.settings_dict["NAME"]
    with pgbouncer("transaction") as port:
        variables = worker_environment() | {"DATABASE_URL": f"postgresql://moss@127.0.0.1:{port}/{name}"}
        command = [sys.executable, *arguments]
        done = completed(command, env=variables, timeout=60)
    assert done.returncode == 1, done.stderr
    assert f"{SHARED}. {ADVICE}" in done.stderr
