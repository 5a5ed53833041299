"""The daemon that owns the private servers of one MOSS_HOME, started by `moss.embedded.client`.

A client connects and sends the names of the servers that it needs, on one line. The reply is one line:
`ready`, or an error message with tabs in place of newlines. When the last client has disconnected, the daemon
stops the servers and ends.
"""

from __future__ import annotations

import fcntl
import logging
import os
import selectors
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

from moss.embedded.client import InstallationPaths, installation_paths
from moss.embedded.servers import SERVERS, Server, ServerError

# The process that started the daemon connects at once. If it has died instead, no client will ever connect.
FIRST_CLIENT_SECONDS = 10.0
CHECK_SECONDS = 1.0
REQUEST_BYTES = 1000
log = logging.getLogger("moss.embedded.daemon")


class EmbeddedDaemon:
    """Accepts the clients of one installation and runs the servers that they request."""

    def __init__(self, paths: InstallationPaths) -> None:
        self.paths = paths
        self.servers: dict[str, Server] = {}
        self.clients: set[socket.socket] = set()
        self.leaving: list[socket.socket] = []
        self.stopping = False
        self.selector = selectors.DefaultSelector()
        paths.daemon_socket.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(paths.daemon_socket))
        self.listener.listen()
        self.selector.register(self.listener, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve clients until the last one has disconnected or a signal requests a stop."""
        self._handle_events(FIRST_CLIENT_SECONDS)
        while self.clients and not self.stopping:
            self._handle_events(CHECK_SECONDS)
            self._restart_ended()
            for server in self.servers.values():
                server.limit_log()

    def close(self) -> None:
        """Refuse new clients, stop the servers, then disconnect the clients that wait for the stop."""
        self.paths.daemon_socket.unlink(missing_ok=True)
        self.listener.close()
        for server in reversed(self.servers.values()):
            server.stop()
        for client in (*self.leaving, *self.clients):
            client.close()

    def request_stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def _handle_events(self, timeout: float) -> None:
        for key, _ in self.selector.select(timeout):
            if key.fileobj is self.listener:
                self._accept()
            elif isinstance(key.fileobj, socket.socket):
                self._read(key.fileobj)

    def _accept(self) -> None:
        client, _ = self.listener.accept()
        self.clients.add(client)
        self.selector.register(client, selectors.EVENT_READ)

    def _read(self, client: socket.socket) -> None:
        try:
            request = client.recv(REQUEST_BYTES)
            if request:
                client.sendall(self._start_servers(request.decode().split()).encode() + b"\n")
                return
        except ConnectionError:
            log.info("a client's connection was reset")
        self._disconnect(client)

    def _disconnect(self, client: socket.socket) -> None:
        """Close a connection; the last client's connection stays open until the servers have stopped."""
        self.selector.unregister(client)
        self.clients.discard(client)
        if self.clients:
            client.close()
        else:
            self.leaving.append(client)

    def _start_servers(self, names: list[str]) -> str:
        try:
            for name in names:
                if name not in self.servers:
                    server = SERVERS[name](self.paths)
                    server.start()
                    self.servers[name] = server
        except ServerError as error:
            log.exception("a server did not start")
            return str(error).replace("\n", "\t")
        return "ready"

    def _restart_ended(self) -> None:
        for name, server in self.servers.items():
            if not server.is_running():
                log.warning("%s ended unexpectedly; restarting it", name)
                try:
                    server.start()
                except ServerError:
                    log.exception("%s did not start", name)


def main(home: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    paths = installation_paths(Path(home))
    with (paths.home / "daemon.lock").open("w") as lock:
        # An earlier daemon may still be stopping its servers.
        fcntl.flock(lock, fcntl.LOCK_EX)
        daemon = EmbeddedDaemon(paths)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, daemon.request_stop)
        os.write(1, b"listening\n")
        os.dup2(2, 1)
        try:
            daemon.run()
        finally:
            daemon.close()


if __name__ == "__main__":
    main(sys.argv[1])
