"""A pooler that shares sessions is refused by name: a real PgBouncer in each of its modes."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from moss.embedded.client import LONGEST_SOCKET_NAME
from moss.operations import doctor as services
from moss.operations.database import ADVICE, SHARED, sessions_are_shared
from tests.conftest import wait_until, worker_environment
from tests.support.cutting_proxy import cutting_proxy
from tests.support.long_rows import rest_is_long
from tests.support.ports import free_port_number
from tests.support.processes import completed

CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={database} user=moss
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
server_connect_timeout = 5
client_login_timeout = 10
query_wait_timeout = 10
pool_mode = {mode}
server_round_robin = {in_turn}
ignore_startup_parameters = extra_float_digits,options
"""


@contextmanager
def pgbouncer(mode: str, *, in_turn: bool = False) -> Iterator[int]:
    """Run PgBouncer in a mode of its pool; yield its port. Skips the test where it is not installed."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    port, server = free_port_number(), settings.PATHS.run / LONGEST_SOCKET_NAME
    # It refuses to run as root, and only root may enter the folder of the private Postgres.
    with tempfile.TemporaryDirectory() as folder, cutting_proxy(server) as proxy:
        Path(folder).chmod(0o755)
        file = Path(folder, "pgbouncer.ini")
        text = CONFIGURATION.format(database=proxy.port, port=port, mode=mode, in_turn=int(in_turn))
        file.write_text(text)
        as_user = ["-u", "nobody"] if os.geteuid() == 0 else []
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen([program, *as_user, str(file)], stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until(lambda: _answers(port, process, Path(folder, "log")), what="pgbouncer")
            yield port
        finally:
            process.terminate()
            process.wait(60)


def _answers(port: int, process: subprocess.Popen[bytes], log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


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
