"""`moss web` and `moss worker`: the parts of the service as processes of their own."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from django.conf import settings

from moss.cli import main
from submissions.work import heartbeats
from tests.conftest import wait_until, worker_environment
from tests.moss.embedded.test_embedded import environment
from tests.support.ports import free_port_number
from tests.support.processes import completed
from tests.support.web_server import ask, with_socket

pytestmark = pytest.mark.services


OWNER = {"DATABASE_OWNER_URL": "postgresql://owner@db.example.org/moss", "DATABASE_OWNER_PASSWORD": "secret"}


@contextmanager
def role(
    log: Path,
    *arguments: str,
    listener: socket.socket | None = None,
    others: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        variables = worker_environment() | {"REDIS_URL": settings.REDIS_URL} | dict(others)
        command = [sys.executable, "-m", "moss", *arguments]
        if listener:
            command = with_socket(command, listener)
        process = subprocess.Popen(
            command, env=variables, stdout=output, stderr=subprocess.STDOUT,
            pass_fds=[listener.fileno()] if listener else [],
        )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_web_server_alone_answers_and_ends_with_sigterm(tmp_path: Path) -> None:
    port, log = free_port_number(), tmp_path / "log"

    def answers() -> bool:
        try:
            return ask(port, "/accounts/login/").status == 200
        except OSError:
            assert process.poll() is None, log.read_text()
            return False

    with role(log, "web", "--port", str(port)) as process:
        wait_until(answers, what="the web server")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_client_that_comes_during_a_restart_is_answered_by_the_next_web_server(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with role(log, "web", listener=listener):
            assert ask(port, "/accounts/login/").status == 200
        with closing(HTTPConnection("localhost", port, timeout=60)) as client:
            client.request("GET", "/accounts/login/")
            with role(log, "web", listener=listener):
                assert client.getresponse().status == 200, log.read_text()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("options", "name", "queues"),
    [
        (["--processes=1"], "worker@", ["interactive", "heavy"]),
        (["--interactive", "--name=short"], "short@", ["interactive"]),
    ],
)
def test_a_worker_alone_serves_its_queues_until_sigterm(
    options: list[str], name: str, queues: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with role(log, "worker", *options) as process:

        def alive() -> list[heartbeats.Worker]:
            assert process.poll() is None, log.read_text()
            return [worker for worker in heartbeats.workers() if worker.name.startswith(name)]

        wait_until(lambda: bool(alive()), what="the worker")
        [worker] = alive()
        assert sorted(worker.queues) == sorted(queues)
        assert (worker.processes, worker.pid) == (1, process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "command",
    [["web", "--port"], ["worker", "--interactive"], ["maintain"], ["listen", "--port"]],
    ids=lambda command: command[0],
)
def test_no_part_has_the_password_of_the_owner_of_the_tables_in_its_environment(
    command: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    port = [str(free_port_number())] if "--port" in command else []
    with role(log, *command, *port, others=OWNER) as process:

        def knows_no_owner() -> bool:
            assert process.poll() is None, log.read_text()
            environment = Path(f"/proc/{process.pid}/environ").read_bytes()
            return b"DATABASE_URL=" in environment and b"DATABASE_OWNER" not in environment

        wait_until(knows_no_owner, what="the part itself")


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_part_alone_needs_the_addresses_of_the_shared_servers(name: str) -> None:
    result = CliRunner().invoke(main, [name], env={"DATABASE_URL": "postgresql:///moss", "REDIS_URL": ""})
    assert result.exit_code == 1
    assert "Set REDIS_URL: a part that runs alone shares" in result.output


@pytest.mark.parametrize("command", [["web", "--port=1"], ["worker"]])
def test_a_wrong_variable_of_a_part_alone_is_one_sentence(command: list[str], tmp_path: Path) -> None:
    wrong = {"SECRET_KEY": "secret", "DATABASE_URL": "nonsense", "REDIS_URL": "redis://127.0.0.1:1"}
    ended = completed([sys.executable, "-m", "moss", *command], env=environment(tmp_path, **wrong))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1), ended.stderr
    assert ended.stderr.startswith("Error: DATABASE_URL")
