"""Webhooks and Git against a resolver on loopback that changes its answers; prints what was asked of whom.

It runs in namespaces of its own (`unshare --user --map-root-user --mount --net`), as the resolver there.
"""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from threading import Thread

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402 - the set-up comes first

from moss.integrations.repositories.fetching import reachable  # noqa: E402
from moss.integrations.repositories.git import Git, GitFailed  # noqa: E402
from moss.outgoing import ForbiddenHost, answer_of  # noqa: E402
from tests.support.git_server import GitServer, hand_in  # noqa: E402

HOST = "rebound.example.org"
ALLOWED, FORBIDDEN = "127.0.0.1", "127.0.0.2"
A, UP, RUNNING = 1, 0x1, 0x40
SIOCSIFFLAGS = 0x8914


class Resolver:
    """Answer each question for the address of a name with the next list, and with the last from then on."""

    def __init__(self) -> None:
        self.answers: list[list[str]] = []
        self.asked = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.53", 53))
        Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            question, client = self.socket.recvfrom(512)
            end = question.index(b"\0", 12) + 5
            (kind,) = struct.unpack("!H", question[end - 4 : end - 2])
            addresses = self.next_answer() if kind == A else []
            head = question[:2] + struct.pack("!HHHHH", 0x8180, 1, len(addresses), 0, 0)
            # The name of the question, class IN, no time to live.
            records = [
                b"\xc0\x0c" + struct.pack("!HHIH", A, 1, 0, 4) + socket.inet_aton(address) for address in addresses
            ]
            self.socket.sendto(head + question[12:end] + b"".join(records), client)

    def next_answer(self) -> list[str]:
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Counting(BaseHTTPRequestHandler):
    """Any service of this machine; its requests are counted."""

    hits = 0

    def do_GET(self) -> None:
        type(self).hits += 1
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Trap(Counting):
    """The service that no request may reach."""

    hits = 0


def turn_loopback_on() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", UP | RUNNING))


def use_resolver(folder: Path) -> Resolver:
    (folder / "resolv.conf").write_text("nameserver 127.0.0.53\noptions timeout:2 attempts:1\n")
    subprocess.run(["mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf"], check=True)
    return Resolver()


def serve(handler: type[BaseHTTPRequestHandler], address: str, port: int = 0) -> int:
    server = ThreadingHTTPServer((address, port), handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server.server_port


def post(resolver: Resolver, port: int, *answers: list[str]) -> list[object]:
    """Send a webhook under these answers; return how it ended, and how often the name was looked up."""
    resolver.answers, resolver.asked = [*answers], 0
    try:
        with answer_of("POST", f"http://{HOST}:{port}/", networks=settings.WEBHOOK_NETWORKS, data=b"x") as answer:
            ended: object = answer.status_code
    except ForbiddenHost:
        ended = "forbidden"
    return [ended, resolver.asked]


def fetch(resolver: Resolver, port: int, folder: Path, *answers: list[str]) -> str:
    """List the branches of a repository under these answers; return how it ended."""
    resolver.answers, resolver.asked = [*answers], 0
    address = f"http://{HOST}:{port}/anna"
    try:
        remote = reachable(address, "")
        return "fetched" if b"refs/heads/main" in Git(folder, remote).run("ls-remote", address) else "empty"
    except GitFailed as error:
        return str(error)


def main(folder: Path) -> dict[str, object]:
    turn_loopback_on()
    resolver = use_resolver(folder)
    settings.WEBHOOK_NETWORKS = settings.GIT_NETWORKS = [ip_network(ALLOWED)]
    port = serve(Counting, ALLOWED)
    serve(Trap, FORBIDDEN, port)
    posted = {
        "once": post(resolver, port, [ALLOWED], [FORBIDDEN]),
        "forbidden": post(resolver, port, [FORBIDDEN]),
        "both": post(resolver, port, [ALLOWED, FORBIDDEN]),
    }
    (folder / "git").mkdir()
    repositories = GitServer(folder / "git")
    Thread(target=repositories.serve_forever, args=(0.05,), daemon=True).start()
    serve(Trap, FORBIDDEN, repositories.server_port)
    hand_in(repositories.repository("anna"), {"main.py": b"x = 1\n"})
    fetched = {
        "stays": fetch(resolver, repositories.server_port, folder, [ALLOWED]),
        "after the question": fetch(resolver, repositories.server_port, folder, [ALLOWED], [FORBIDDEN]),
        "after both checks": fetch(resolver, repositories.server_port, folder, [ALLOWED], [ALLOWED], [FORBIDDEN]),
    }
    return {"posted": posted, "fetched": fetched, "reached": Counting.hits, "trapped": Trap.hits}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        sys.stdout.write(json.dumps(main(Path(name))))
    sys.stdout.flush()
    os._exit(0)  # the threads of the servers still run
