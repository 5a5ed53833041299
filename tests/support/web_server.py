"""A real gunicorn with the shipped configuration, and raw requests to it."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.message import Message
from pathlib import Path

from django.conf import settings

from tests.conftest import worker_environment


@contextmanager
def web_server(
    *options: str,
    log: str = os.devnull,
    python: str = sys.executable,
    folder: str = os.fspath(settings.BASE_DIR),
    **variables: str,
) -> Iterator[int]:
    """Run gunicorn in front of the test database; yield its port. Its output goes to `log`."""
    command = [python, "-m", "gunicorn", "--config=python:moss.serving.gunicorn_conf", "--workers=1"]
    with socket.create_server(("127.0.0.1", 0)) as listener, Path(log).open("ab") as output:
        server = subprocess.Popen(
            [*command, f"--bind=fd://{listener.fileno()}", *options],
            env=worker_environment() | variables,
            cwd=folder,
            pass_fds=[listener.fileno()],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield listener.getsockname()[1]
        finally:
            server.terminate()
            server.wait(60)


# Systemd passes sockets from descriptor 3 on, and says to which process.
AS_SYSTEMD = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""


def with_socket(command: Sequence[str], listener: socket.socket) -> list[str]:
    """Return a command that takes over a socket as from systemd; `pass_fds` has to name the socket, too."""
    return [sys.executable, "-c", AS_SYSTEMD, str(listener.fileno()), *command]


def ask(
    port: int, path: str = "/", method: str = "GET", body: str | bytes | None = None, **headers: str
) -> http.client.HTTPResponse:
    """Return the answer to a request, read to its end; `X_Forwarded_For` stands for X-Forwarded-For."""
    return _asked(port, path, method, body, headers)[0]


def read_answer(port: int, path: str, **headers: str) -> tuple[int, str]:
    """Return the status and the text of the answer to a GET."""
    response, content = _asked(port, path, "GET", None, headers)
    return response.status, content.decode()


def _asked(
    port: int, path: str, method: str, body: str | bytes | None, headers: dict[str, str]
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=200)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, headers={"Host": "localhost"} | named)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def send_raw(port: int, request: bytes) -> tuple[int, Message]:
    """Send bytes that need not be a request; return the status and the headers of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=200) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, response.headers
