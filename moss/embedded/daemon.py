"""The daemon that owns the private servers of one MOSS_HOME, started by `moss.embedded.client`.

Clients connect and send the names of the servers they need on one line; the answer is `ready` or a reason.
When the last client has gone, the servers stop and so does the keeper.
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
from typing import TYPE_CHECKING

from moss.embedded.client import Place, place
from moss.embedded.servers import SERVERS, Server, ServerError

if TYPE_CHECKING:
    from types import FrameType

# Whoever started the keeper connects at once; if it died instead, nobody ever will.
FIRST_CLIENT_SECONDS = 10.0
CHECK_SECONDS = 1.0
log = logging.getLogger("moss.embedded.daemon")


class Keeper:
    def __init__(self, where: Place) -> None:
        self.where = where
        self.servers: dict[str, Server] = {}
        self.clients: set[socket.socket] = set()
        self.leaving: list[socket.socket] = []
        self.stopping = False
        self.selector = selectors.DefaultSelector()
        where.keeper_socket.unlink(missing_ok=True)
        self.door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.door.bind(str(where.keeper_socket))
        self.door.listen()
        self.selector.register(self.door, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve clients until the last has gone or a signal asks to stop."""
        self._serve(FIRST_CLIENT_SECONDS)
        while self.clients and not self.stopping:
            self._serve(CHECK_SECONDS)
            self._revive()

    def close(self) -> None:
        """Stop in order: no new clients, then the servers, then tell those who wait."""
        self.where.keeper_socket.unlink(missing_ok=True)
        self.door.close()
        for server in reversed(self.servers.values()):
            server.stop()
        for client in (*self.leaving, *self.clients):
            client.close()

    def _serve(self, timeout: float) -> None:
        for key, _ in self.selector.select(timeout):
            if key.fileobj is self.door:
                self._welcome()
            elif isinstance(key.fileobj, socket.socket):
                self._listen_to(key.fileobj)

    def _welcome(self) -> None:
        client, _ = self.door.accept()
        self.clients.add(client)
        self.selector.register(client, selectors.EVENT_READ)

    def _listen_to(self, client: socket.socket) -> None:
        try:
            request = client.recv(1000)
            if request:
                client.sendall(self._provide(request.decode().split()).encode() + b"\n")
                return
        except ConnectionError:
            log.info("a client broke off")
        self._part_from(client)

    def _part_from(self, client: socket.socket) -> None:
        self.selector.unregister(client)
        self.clients.discard(client)
        if self.clients:
            client.close()
        else:
            self.leaving.append(client)

    def _provide(self, names: list[str]) -> str:
        try:
            for name in names:
                if name not in self.servers:
                    server = SERVERS[name](self.where)
                    server.start()
                    self.servers[name] = server
        except ServerError as error:
            log.exception("a server did not start")
            return str(error).replace("\n", "\t")
        return "ready"

    def _revive(self) -> None:
        for name, server in self.servers.items():
            if not server.is_running():
                log.warning("%s ended by itself and is started again", name)
                try:
                    server.start()
                except ServerError:
                    log.exception("%s did not start", name)

    def ask_to_stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping = True


def main(home: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    where = place(Path(home))
    with (where.home / "keeper.lock").open("w") as lock:
        # The keeper before this one may still be stopping its servers.
        fcntl.flock(lock, fcntl.LOCK_EX)
        keeper = Keeper(where)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, keeper.ask_to_stop)
        os.write(1, b"listening\n")
        os.dup2(2, 1)
        try:
            keeper.run()
        finally:
            keeper.close()


if __name__ == "__main__":
    main(sys.argv[1])
