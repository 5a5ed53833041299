"""A real PgBouncer in front of the test database."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from moss.embedded.client import LONGEST_SOCKET_NAME
from tests.conftest import wait_until
from tests.support.cutting_proxy import cutting_proxy
from tests.support.ports import free_port_number

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
