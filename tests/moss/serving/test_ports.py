"""A named port is used or is an error; without one, a free one is chosen."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from moss.serving import supervisor as ports
from moss.serving.supervisor import NotListening, listen

pytestmark = pytest.mark.slow


def test_without_a_port_the_first_free_one_is_used(taken_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "FIRST_PORT", taken_port)
    with listen("127.0.0.1", None) as free_socket:
        assert taken_port < free_socket.getsockname()[1] < taken_port + 100


def test_a_named_port_that_stays_taken_is_an_error_that_says_what_to_do(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "PATIENCE_SECONDS", 0.5)
    with pytest.raises(NotListening, match=f"Port {taken_port} is in use .* or leave --port out"):
        listen("127.0.0.1", taken_port)


def test_a_named_port_that_is_still_closing_is_waited_for() -> None:
    with ThreadPoolExecutor() as pool:
        with socket.create_server(("127.0.0.1", 0)) as closing:
            port = closing.getsockname()[1]
            pending = pool.submit(listen, "127.0.0.1", port)
            with pytest.raises(TimeoutError):
                pending.result(timeout=0.5)
        with pending.result(timeout=ports.PATIENCE_SECONDS) as free_socket:
            assert free_socket.getsockname()[1] == port


def test_an_address_of_another_machine_is_an_error_without_a_wait() -> None:
    started = time.monotonic()
    with pytest.raises(NotListening, match="Cannot listen on"):
        listen("192.0.2.1", 8000)
    assert time.monotonic() - started < ports.PATIENCE_SECONDS / 2
