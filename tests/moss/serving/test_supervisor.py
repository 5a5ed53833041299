"""`moss serve` as a user runs it: real child processes, restarted when they die, ended when it ends."""

import fcntl
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from moss.embedded.client import installation_paths
from moss.serving import supervisor as ports
from moss.serving.supervisor import serving_process
from tests.conftest import wait_until
from tests.moss.embedded.test_embedded import environment
from tests.support.ports import free_port_number
from tests.support.processes import command_line, completed, every_process, kill, open_files, record

pytestmark = pytest.mark.services

MOSS = [sys.executable, "-m", "moss"]
CLAIM = "from moss.serving.supervisor import Supervisor\nwith Supervisor(port=0): print('claimed')"


class Serve:
    """A running `moss serve`; all its descendants are recognised by its home in their environment."""

    def __init__(self, home: Path, port: int | None, **variables: str) -> None:
        self.home = home
        self.log = home.parent / "serve.log"
        with self.log.open("wb") as log:
            # A shell without a terminal starts `moss serve &` like this: with both signals ignored.
            self.process = subprocess.Popen(
                [
                    "sh",
                    "-c",
                    "trap '' INT QUIT; exec \"$@\"",
                    "sh",
                    *MOSS,
                    "serve",
                    *([] if port is None else ["--port", str(port)]),
                    "--workers",
                    "1",
                ],
                env=environment(home, **variables),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    @property
    def address(self) -> str:
        match = re.search(r"serves at (http://\S+/)", self.output)
        assert match, self.output
        return match[1]

    def wait_until_serving(self) -> None:
        wait_until(lambda: "serves at" in self.output or self.process.poll() is not None, 150, what="the address")
        assert self.process.poll() is None, self.output

    def processes(self) -> list[int]:
        mark = b"MOSS_HOME=" + os.fsencode(self.home)
        return [pid for pid in every_process() if mark in record(pid, "environ").split(b"\0")]

    def running(self, program: str) -> list[int]:
        return [pid for pid in self.processes() if program.encode() in command_line(pid)]

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}healthz", timeout=60) as response:
                return all(json.load(response).values())
        except OSError:  # a part does not answer, or the web server is about to be started again
            return False

    def wait_until_healthy(self) -> None:
        """Wait until the worker answers too, which takes longer to start than the web server."""
        wait_until(self.is_healthy, what="the worker")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Serve]]:
    started: list[Serve] = []

    def start(port: int | None, **variables: str) -> Serve:
        started.append(Serve(tmp_path / "home", port, **variables))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        kill(each.processes())


@pytest.mark.long
def test_serve_with_a_taken_port_ends_and_says_so(serve: Callable[[int | None], Serve], taken_port: int) -> None:
    moss = serve(taken_port)
    assert moss.process.wait(ports.PATIENCE_SECONDS + 60) == 1
    assert f"Error: Port {taken_port} is in use by another program." in moss.output
    assert "Traceback" not in moss.output


@pytest.mark.long
def test_a_server_that_was_killed_comes_back_on_the_same_port(
    serve: Callable[[int | None], Serve], free_port: int
) -> None:
    moss = serve(free_port)
    moss.wait_until_serving()
    moss.process.kill()
    moss.process.wait()
    again = serve(free_port)
    again.wait_until_serving()
    assert again.address == moss.address


def assert_a_second_one_is_refused(moss: Serve) -> None:
    """Fail unless a second `serve` or `demo` exits, names the first, and does not touch its log."""
    log = moss.home / "log" / "demo.log"
    log.write_text("the log of the first\n")
    for command in ("serve", "demo"):
        second = completed([*MOSS, command], env=environment(moss.home))
        assert second.returncode == 1
        assert f"Process {moss.process.pid} already serves from" in second.stderr
    assert log.read_text() == "the log of the first\n"


@contextmanager
def slow_clients(address: str, count: int) -> Iterator[None]:
    """Keep connections open whose requests have begun and do not end."""
    parts = urlsplit(address)
    with ExitStack() as connections:
        for _ in range(count):
            client = connections.enter_context(socket.create_connection((parts.hostname, parts.port)))
            client.sendall(b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na")
        time.sleep(1)  # until the server reads all of them
        yield


@pytest.mark.long
def test_every_process_runs_is_restarted_and_ends(serve: Callable[[int | None], Serve], taken_first_port: int) -> None:
    """Cover the whole life of the service in one test, because a start takes seconds."""
    moss = serve(None)
    moss.wait_until_serving()
    assert f"Port {taken_first_port} is in use; using " in moss.output
    moss.wait_until_healthy()

    # The page and its static files, compressed and with hashed names, are served without another server.
    page = urllib.request.urlopen(f"{moss.address}accounts/login/", timeout=60).read().decode()
    static_files = re.findall(r'"/(static/[^"]+\.css)"', page)
    assert static_files
    for static_file in static_files:
        assert urllib.request.urlopen(moss.address + static_file, timeout=60).status == 200

    with slow_clients(moss.address, 40):
        assert urllib.request.urlopen(f"{moss.address}accounts/login/", timeout=60).status == 200

    assert_a_second_one_is_refused(moss)

    # A web server that is killed comes back on the same port.
    kill([min(moss.running("gunicorn"))])
    wait_until(lambda: " web | ended with status -9; restarting in 1 s" in moss.output, what="the report")
    wait_until(lambda: bool(moss.running("gunicorn")), what="the new web server")
    moss.wait_until_healthy()

    stopped = completed([*MOSS, "stop"], env=environment(moss.home))
    assert stopped.stdout == "Stopped.\n", stopped.stderr
    assert moss.process.wait(60) == 0
    wait_until(lambda: not moss.processes(), what="the end of every process")
    assert "did not end after SIGTERM" not in moss.output
    assert "Traceback" not in moss.output, moss.output


@pytest.mark.long
def test_killing_the_supervisor_ends_all_its_processes(serve: Callable[..., Serve], free_port: int) -> None:
    clients = free_port_number()
    moss = serve(free_port, MOSS_LISTEN="true", MOSS_LISTEN_PORT=str(clients))
    moss.wait_until_serving()
    wait_until(lambda: f"port {clients}, until" in moss.output, what="the port for MOSS clients")
    assert len(moss.running("listen")) == 1
    with socket.create_connection(("127.0.0.1", clients), 60) as client:
        client.sendall(b"moss 1234\nlanguage c\n")
        assert client.recv(1024) == b"no\n"
    # Two workers with a child each; maintenance; the web server and its two children.
    wait_until(lambda: len(moss.running("celery")) == 4, what="the workers")
    wait_until(lambda: len(moss.running("maintain")) == 1, what="maintenance")
    wait_until(lambda: len(moss.running("gunicorn")) == 3, what="the web server")
    moss.process.kill()
    moss.process.wait()
    wait_until(lambda: not moss.processes(), what="the end of every process")


@pytest.mark.long
def test_a_killed_daemon_is_started_again_with_its_servers(
    serve: Callable[[int | None], Serve], free_port: int
) -> None:
    moss = serve(free_port)
    moss.wait_until_serving()
    daemon = moss.running("moss.embedded.daemon")
    assert len(daemon) == 1
    kill(daemon)
    wait_until(lambda: "The private servers are running again." in moss.output, what="the servers")
    assert "The daemon of the private servers has ended" in moss.output
    moss.wait_until_healthy()
    assert moss.running("moss.embedded.daemon") not in ([], daemon)
    # The worker finds the new broker by itself.
    wait_until(lambda: answers_ping(moss.home), what="the worker")


def answers_ping(home: Path) -> bool:
    ping = [sys.executable, "-m", "celery", "-A", "moss", "inspect", "ping", "--timeout=2"]
    return subprocess.run(ping, env=environment(home), capture_output=True, check=False).returncode == 0


def test_a_query_waits_for_a_server_that_has_not_written_its_process_id_yet(tmp_path: Path) -> None:
    paths = installation_paths(tmp_path)
    with (tmp_path / "serve.lock").open("w") as lock, ThreadPoolExecutor() as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pending = pool.submit(serving_process, paths)
        with pytest.raises(TimeoutError):
            pending.result(timeout=0.3)
        lock.write("4711")
        lock.flush()
        assert pending.result(timeout=60) == 4711


def test_queries_at_the_same_time_do_not_mistake_each_other_for_a_server(tmp_path: Path) -> None:
    (tmp_path / "serve.lock").write_text("4711")
    with (tmp_path / "serve.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert serving_process(installation_paths(tmp_path)) is None


def test_a_starting_server_waits_for_running_queries(tmp_path: Path) -> None:
    path = tmp_path / "serve.lock"
    path.touch()

    with path.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        with subprocess.Popen(
            [sys.executable, "-c", CLAIM], env=environment(tmp_path), stdout=subprocess.PIPE
        ) as server:
            wait_until(lambda: str(path) in open_files(server.pid), what="the claim")
            with pytest.raises(subprocess.TimeoutExpired):
                server.wait(0.5)
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert server.communicate(timeout=60)[0] == b"claimed\n"
            assert server.returncode == 0


def test_stop_without_a_server_says_that_none_runs(tmp_path: Path) -> None:
    stopped = completed([*MOSS, "stop"], env=environment(tmp_path))
    assert stopped.returncode == 0
    assert stopped.stdout == f"No server runs in {tmp_path}.\n"


@pytest.mark.parametrize("user", ["root", "another"])
def test_root_is_warned_and_data_of_another_user_are_refused(user: str, tmp_path: Path) -> None:
    now = 0 if user == "root" else os.getuid() + 1
    other = f"import os\nos.geteuid = lambda: {now}\n"
    said = completed([sys.executable, "-c", other + CLAIM], env=environment(tmp_path)).stderr
    assert ("belongs to another user" in said) == (now != os.getuid())
    assert ("of the user nobody, and so are its data. Use an account of its own." in said) == (now == os.getuid() == 0)
