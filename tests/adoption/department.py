"""An installation as a department has it: each part a process with a home of its own."""

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import requests

from moss.embedded.servers import guarded
from tests.adoption.servers import OWNER, PASSWORD, SERVICE, Broker, Cluster
from tests.conftest import wait_until
from tests.support.html import Page
from tests.support.processes import completed
from tests.support.web_server import with_socket

ADMINISTRATOR, PASSWORD_OF_ADA = "ada", f"{PASSWORD} of the administrator"
OTHERS = ("MOSS_", "DJANGO_", "DATABASE_", "REDIS_", "SECRET_KEY", "PYTHON", "XDG_")
PARTS = {
    "web-1": ["web"],
    "web-2": ["web"],
    "worker": ["worker", "--processes=2"],
    "interactive": ["worker", "--interactive"],
    "maintenance": ["maintain"],
}


class Department:
    """The processes of one installation, started with the Python it is installed for."""

    def __init__(self, folder: Path, python: Path, cluster: Cluster, broker: Broker) -> None:
        self.folder, self.python, self.cluster = folder, python, cluster
        self.variables = {
            "DATABASE_URL": cluster.url(SERVICE),
            "REDIS_URL": broker.url,
            "SECRET_KEY": "a key that all parts of the installation share, as the document says",
            # A class of this test is cut into shards, as a large one is.
            "MOSS_SHARD_SECONDS": "0.03",
        }
        # As deploy/systemd has it, these stay open while a web server restarts.
        self.sockets = {n: socket.create_server(("127.0.0.1", 0)) for n in PARTS if n.startswith("web")}
        self.ports = {name: listener.getsockname()[1] for name, listener in self.sockets.items()}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, home: str, *arguments: str | Path, **variables: str) -> str:
        """Return what a command of `moss` prints, run in the home of a part."""
        done = self.done(home, *arguments, **variables)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def done(self, home: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Return a command of `moss` that has ended, with any status."""
        command = [self.python, "-m", "moss", *arguments]
        return completed(command, env=self._environment(home, **variables), cwd=self.folder)

    def run_as_owner(self, home: str, *arguments: str | Path) -> str:
        return self.run(home, *arguments, DATABASE_OWNER_URL=self.cluster.url(OWNER))

    def start(self, *names: str) -> None:
        """Start parts in groups of their own, and return when the web servers answer."""
        for name in names:
            command = guarded([str(self.python), "-m", "moss", *PARTS[name]], signal.SIGTERM)
            passed = [self.sockets[name]] if name in self.sockets else []
            for listener in passed:
                command = with_socket(command, listener)
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes[name] = subprocess.Popen(
                    command, env=self._environment(name), cwd=self.folder, stdout=log, stderr=log,
                    start_new_session=True, pass_fds=[listener.fileno() for listener in passed],
                )  # fmt: skip
        for name in names:
            if name in self.ports:
                wait_until(lambda name=name: self._answers(name), what=name)  # type: ignore[misc]

    def stop(self, *names: str) -> None:
        """End parts as systemd does, and wait until they have ended."""
        for name in names:
            self.processes[name].terminate()
        for name in names:
            self.processes[name].wait(90)

    def kill(self, name: str) -> None:
        """Kill a part with all its children."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait(60)

    def stop_all(self) -> None:
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(60)
        for listener in self.sockets.values():
            listener.close()

    def url(self, name: str = "web-1") -> str:
        return f"http://localhost:{self.ports[name]}"

    def _answers(self, name: str) -> bool:
        assert self.processes[name].poll() is None, (self.folder / f"{name}.log").read_text()
        try:
            return requests.get(self.url(name) + "/accounts/login/", timeout=30).ok
        except requests.RequestException:  # it has not begun, or it ended
            return False

    def _environment(self, home: str, **variables: str) -> dict[str, str]:
        folder = self.folder / "homes" / home
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
        homes = {"HOME": str(folder), "MOSS_HOME": str(folder / "moss"), "TMPDIR": str(folder / "tmp")}
        return inherited | self.variables | homes | variables


class Client:
    """A program that uses the API of one web server."""

    def __init__(self, url: str, token: str) -> None:
        self.api, self.session = f"{url}/api/v1", requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str) -> Any:
        return self._checked(self.session.get(self.api + path, timeout=120))

    def post(self, path: str, **body: Any) -> Any:
        return self._checked(self.session.post(self.api + path, json=body, timeout=120))

    def put(self, path: str, **body: Any) -> Any:
        return self._checked(self.session.put(self.api + path, json=body, timeout=120))

    @staticmethod
    def _checked(answer: requests.Response) -> Any:
        assert answer.ok, answer.text
        return answer.json()


def signed_in(url: str) -> dict[str, str]:
    """Sign in on the page as a person does; return the cookies."""
    person, address = requests.Session(), f"{url}/accounts/login/"
    page = Page(person.get(address, timeout=60).text)
    (token,) = page.values("form.card [name=csrfmiddlewaretoken]", "value")
    fields = {"username": ADMINISTRATOR, "password": PASSWORD_OF_ADA, "csrfmiddlewaretoken": token}
    answer = person.post(address, fields, timeout=60)
    assert answer.url == f"{url}/", answer.text
    return dict(person.cookies)


def submit(department: Department, token: str, folder: Path, assignment: str, course: str) -> Sequence[Any]:
    """Upload a folder by `moss submit`, wait for its report, and return its pairs."""
    options = ["--course", course, "--assignment", assignment, "--json"]
    output = department.run("instructor", "submit", department.url(), folder, *options, MOSS_TOKEN=token)
    pairs: Sequence[Any] = json.loads(output)["pairs"]
    return pairs
