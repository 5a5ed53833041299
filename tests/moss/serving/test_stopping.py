"""A web server that is told to end answers everyone who is connected, and nobody else waits in vain."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from moss.serving import gunicorn_conf
from tests.conftest import wait_until, worker_environment
from tests.support.paths import ROOT
from tests.support.ports import free_port_number

pytestmark = pytest.mark.slow

WAITING = 4
# One request at a time: all other clients wait before they are accepted.
OPTIONS = ["--workers=1", "--threads=1", "--worker-connections=1", "--graceful-timeout=60"]


@contextmanager
def server(port: int, gate: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "gunicorn", "--config=python:moss.serving.gunicorn_conf"]
    with gate.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *options, f"--bind=127.0.0.1:{port}", "tests.support.gated_wsgi:application"],
            env=worker_environment() | {"GATE": os.fspath(gate)},
            stderr=log,
            cwd=ROOT,
        )
    try:
        wait_until(lambda: is_open(port), what="the server")
        yield process
    finally:
        process.kill()
        process.wait()


def is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def test_who_is_connected_is_answered_and_who_comes_later_is_refused(tmp_path: Path) -> None:
    port, gate = free_port_number(), tmp_path / "gate"
    with server(port, gate, *OPTIONS) as process, ExitStack() as stack:
        clients = [stack.enter_context(closing(HTTPConnection("127.0.0.1", port))) for _ in range(1 + WAITING)]
        for client in clients:
            client.request("GET", "/")
        # A worker that has just been started would not see the signal.
        wait_until(gate.with_suffix(".asked").exists, what="the first request")
        process.terminate()
        wait_until(lambda: not is_open(port), what="a socket that is closed")
        assert process.poll() is None
        gate.touch()
        assert [client.getresponse().read() for client in clients] == [b"answer"] * (1 + WAITING)
        assert process.wait(60) == 0


def test_processes_are_replaced_after_some_requests_and_everybody_is_answered(tmp_path: Path) -> None:
    port, gate = free_port_number(), tmp_path / "gate"
    gate.touch()

    def ask(_: int) -> bytes:
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as client:
            client.request("GET", "/")
            return client.getresponse().read()

    with server(port, gate, "--workers=2", "--max-requests=10", "--max-requests-jitter=5"):
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(ask, range(100))) == {b"answer"}
        log = gate.with_suffix(".log")
        wait_until(lambda: log.read_text().count("Booting worker") > 3, what="new processes")


def test_the_shipped_server_replaces_its_processes_at_different_times() -> None:
    assert 0 < gunicorn_conf.max_requests_jitter <= gunicorn_conf.max_requests
