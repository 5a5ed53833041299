"""Ports that are free or taken."""

import contextlib
import platform
import socket
from collections.abc import Iterator

import pytest

from moss.serving.supervisor import FIRST_PORT


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Return a port that another socket listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def free_port() -> int:
    return free_port_number()


def free_port_number() -> int:
    """Return a port of loopback that nothing listens on, and that nobody else is given meanwhile.

    It stays bound until this process ends. Linux lets a server that may use an address again listen there.
    """
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        if platform.system() == "Linux":
            reserved.detach()
    return port


@pytest.fixture
def taken_first_port() -> Iterator[int]:
    """Return the port that a server without --port tries first, taken here or by another program."""
    with contextlib.ExitStack() as exits:
        with contextlib.suppress(OSError):
            exits.enter_context(socket.create_server(("127.0.0.1", FIRST_PORT)))
        yield FIRST_PORT
