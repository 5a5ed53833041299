"""A real `moss listen` and web server in front of the test database, and raw sessions with it."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from django.conf import settings

from tests.conftest import wait_until, worker_environment
from tests.support.ports import free_port_number
from tests.support.processes import open_files
from tests.support.web_server import web_server

OPTIONS = (b"directory 0", b"X 0", b"maxmatches 10", b"show 250")


class Listening(NamedTuple):
    """The port of the listening server, the address of the web server, and the folder of temporary files."""

    port: int
    results_at: str
    temporary: Path
    log: Path
    pid: int

    def open_files(self) -> list[str]:
        """Return the temporary files that it has open."""
        return [file for file in open_files(self.pid) if file.startswith(str(self.temporary))]


@contextmanager
def listening(folder: Path, results_at: str = "http://127.0.0.1:1", **variables: str) -> Iterator[Listening]:
    """Run `moss listen` on a free port of loopback."""
    temporary, log = folder / "tmp", folder / "listen.log"
    temporary.mkdir(exist_ok=True)
    port = free_port_number()
    command = [sys.executable, "-m", "moss", "listen", f"--port={port}", f"--results-at={results_at}"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            env=worker_environment() | {"TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"} | variables,
            cwd=settings.BASE_DIR,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(lambda: b"can connect" in log.read_bytes() or server.poll() is not None, what="the port")
        assert server.poll() is None, log.read_text()
        yield Listening(port, results_at, temporary, log, server.pid)
    finally:
        server.terminate()
        assert server.wait(60) == 0, log.read_text()


@contextmanager
def listening_with_pages(folder: Path, **variables: str) -> Iterator[Listening]:
    """Run `moss listen` and the web server that has its result pages."""
    log = str(folder / "web.log")
    with (
        web_server(log=log, **variables) as web,
        listening(folder, f"http://127.0.0.1:{web}", **variables) as server,
    ):
        yield server


class RawClient:
    """A session on a socket, written line by line from the specification."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 100, (source, 0))
        self._answers = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._answers.close()
        self._socket.close()

    def send(self, *lines: bytes) -> None:
        self._socket.sendall(b"".join(line + b"\n" for line in lines))

    def send_raw(self, data: bytes) -> None:
        self._socket.sendall(data)

    def file(self, number: int, name: bytes, content: bytes, language: bytes = b"python") -> None:
        self.send_raw(b"file %d %s %d %s\n%s" % (number, language, len(content), name, content))

    def answer(self) -> bytes:
        """Return the next line of the server; empty at the end of the connection."""
        try:
            return self._answers.readline()
        except ConnectionResetError:
            return b""

    def begin(self, user_id: str, *options: bytes, language: bytes = b"python") -> bytes:
        """Send everything up to the language, and return the answer."""
        self.send(b"moss " + user_id.encode(), *(options or OPTIONS), b"language " + language)
        return self.answer()

    def query(self, comment: bytes = b"") -> str:
        """Ask for the results; return the address or the error."""
        self.send(b"query 0 " + comment)
        line = self.answer().decode()
        self.send(b"end")
        return line.rstrip("\n")
