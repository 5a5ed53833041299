"""A proxy that ends connections while something is sent through it."""

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.loopback import serving

ANY = 1 << 60


class CuttingProxy(socketserver.ThreadingTCPServer):
    """Pass connections on to `target` and end the one that sends after each of `limits` bytes in all.

    `target` is a port or the path of a socket. `sent` counts the bytes that were passed on to it. While
    `is_down`, every connection ends at once; with `stays_down` it is down after the last limit, until
    `is_down` is set back.
    """

    daemon_threads = True

    def __init__(self, target: int | Path) -> None:
        self.target, self.limits, self.sent = target, list[int](), 0
        self.is_down = self.stays_down = False
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Connection)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def allowed(self, size: int) -> int:
        """Count `size` bytes to the target; return how many of them are passed on."""
        with self.lock:
            limit = 0 if self.is_down else self.limits[0] if self.limits else ANY
            passed = min(size, limit)
            self.sent += passed
            if self.limits and not self.is_down:
                self.limits[0] -= passed
                if not self.limits[0]:
                    self.limits.pop(0)
                    self.is_down = self.stays_down and not self.limits
            return passed


def _connection_to(target: int | Path) -> socket.socket:
    if isinstance(target, int):
        return socket.create_connection(("127.0.0.1", target))
    behind = socket.socket(socket.AF_UNIX)
    behind.connect(str(target))
    return behind


class _Connection(socketserver.BaseRequestHandler):
    server: CuttingProxy

    def handle(self) -> None:
        # Either side may go away while something is passed on.
        with suppress(ConnectionError):
            self.pass_on()

    def pass_on(self) -> None:
        with _connection_to(self.server.target) as behind:
            others = {self.request: behind, behind: self.request}
            while True:
                for side in select.select(list(others), [], [])[0]:
                    data = side.recv(1 << 16)
                    passed = self.server.allowed(len(data)) if side is self.request else len(data)
                    others[side].sendall(data[:passed])
                    if not data or passed < len(data):
                        return


@contextmanager
def cutting_proxy(target: int | Path, *limits: int) -> Iterator[CuttingProxy]:
    with serving(CuttingProxy(target)) as proxy:
        proxy.limits.extend(limits)
        yield proxy
