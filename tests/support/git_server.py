"""A Git server on loopback: git's own `http-backend` on real repositories, with a token, and its misdeeds."""

import os
import subprocess
import zlib
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha1
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event

import pytest

from tests.support.loopback import Handler, serving

# In seconds since 1970; commits of the tests are at whole hours after it.
START = 1_790_000_000
HOUR = 3600


class GitServer(ThreadingHTTPServer):
    """Serves the repositories of a folder; `token` is asked for in /private/, and kept what was sent."""

    daemon_threads = True
    token = "read-only-secret"

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.folder = folder
        self.asked: list[tuple[str, str]] = []
        # Paths of repositories, and where their first request is sent.
        self.redirects: dict[str, str] = {}
        self.silent: set[str] = set()
        self.ended = Event()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def repository(self, name: str) -> Path:
        """Make an empty repository; return its folder."""
        path = self.folder / name
        git(self.folder, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(path))
        with (path / "config").open("a") as config:
            config.write("[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n")
        return path

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that went away."""


class Answers(Handler):
    server: GitServer

    def get(self) -> None:
        body = self.body()
        path, _, query = self.path.partition("?")
        name = path.strip("/").removesuffix("/info/refs").removesuffix("/git-upload-pack")
        credentials = self.headers.get("Authorization", "")
        self.server.asked.append((path, credentials))
        if name in self.server.silent:
            self.server.ended.wait(30)
        elif name in self.server.redirects:
            self.answer(status=301, Location=self.server.redirects[name])
        elif name.startswith("private/") and credentials != basic(self.server.token):
            self.send_error(401)
        elif not (self.server.folder / name).is_dir():
            self.send_error(404)
        else:
            self._serve(path, query, body)

    def _serve(self, path: str, query: str, body: bytes) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        # It fails, and says why, where a client asks for a commit that is not there.
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(fields.pop("Status", "200").split()[0])
        self.answer(content, status, **{name.replace("-", "_"): value for name, value in fields.items()})

    post = get


def basic(token: str) -> str:
    return f"Basic {b64encode(f'x-access-token:{token}'.encode()).decode()}"


def git(folder: Path, *arguments: str, stdin: bytes = b"", time: int = START) -> str:
    """Run git as a student whose clock says `time`; return what it prints."""
    who = {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", f"{time} +0000"))
    }
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, **who}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=stdin, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def store(repository: Path, kind: str, content: bytes) -> str:
    """Store an object as git does, without the time that a process takes; return its id."""
    stored = f"{kind} {len(content)}\0".encode() + content
    key = sha1(stored, usedforsecurity=False).hexdigest()
    path = repository / "objects" / key[:2] / key[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(stored))
    return key


def blob(repository: Path, data: bytes) -> str:
    return store(repository, "blob", data)


def tree(repository: Path, *entries: tuple[str, str, str]) -> str:
    """Store a tree with any entries, also those that git would not make; each has mode, name and id."""
    rows = (f"{mode} {name}\0".encode() + bytes.fromhex(key) for mode, name, key in entries)
    return store(repository, "tree", b"".join(rows))


def commit(repository: Path, tree_key: str, *parents: str, hours: int = 0, branch: str = "main", time: str = "") -> str:
    """Commit a tree at a time, else so many hours after START, as the end of a branch; return its id."""
    when = f"A <a@example.org> {time or START + hours * HOUR} +0000"
    before = [f"parent {parent}" for parent in parents]
    lines = [f"tree {tree_key}", *before, f"author {when}", f"committer {when}", "", "work", ""]
    key = store(repository, "commit", "\n".join(lines).encode())
    head = repository / "refs" / "heads" / branch
    head.parent.mkdir(parents=True, exist_ok=True)
    head.write_text(f"{key}\n")
    return key


def hand_in(
    repository: Path,
    files: dict[str, bytes],
    *parents: str,
    hours: int = 0,
    branch: str = "main",
    time: str = "",
) -> str:
    """Commit files that are in no folder; return the id of the commit."""
    entries = [("100644", name, blob(repository, data)) for name, data in sorted(files.items())]
    return commit(repository, tree(repository, *entries), *parents, hours=hours, branch=branch, time=time)


@pytest.fixture
def git_server(tmp_path: Path) -> Iterator[GitServer]:
    folder = tmp_path / "repositories"
    (folder / "private").mkdir(parents=True)
    with serving(GitServer(folder)) as server:
        yield server
        server.ended.set()
