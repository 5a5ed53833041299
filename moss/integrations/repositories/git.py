"""Git: lists of addresses of repositories, and running its programs within limits."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from threading import Event, Timer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.utils.translation import gettext as _, gettext_noop

from moss.outgoing import DEFAULT_PORTS, web_origin
from submissions.intake.choices import clean_name

MOST_REPOSITORIES, MOST_CHARACTERS = 2000, 500_000
LONGEST_NAME, LONGEST_ADDRESS, LONGEST_BRANCH = 200, 500, 200
COMMIT = re.compile(r"[0-9a-f]+")
DIGITS_OF_COMMITS = (40, 64)
# What Git allows in a branch, and a little less: see git-check-ref-format.
BRANCH = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]+")
HEADER = ["student", "address"]
# What a student and an address are called in the grades of GitHub Classroom, in its answer `accepted_assignments`,
# and in the projects of a GitLab group.
FIELDS = (
    ("student", "roster_identifier", "github_username"),
    ("student_repository_url", "http_url_to_repo", "html_url"),
)

# The first with http.curloptResolve, which pins the IP address of a host.
OLDEST = (2, 37)
# Of a program: address space, the largest file that it may write, seconds of the processor and of the clock.
MEMORY, PACK_BYTES, PROCESSOR_SECONDS, SECONDS = 2_000_000_000, 100_000_000, 120, 120
ERROR_CHARACTERS = 4000
# A token without a user name is sent with this one, which GitHub, GitLab and Gitea take.
TOKEN_USER = "x-access-token"  # noqa: S105 - a name
CONFIG = {
    "http.followRedirects": "false", "http.proxy": "", "http.lowSpeedLimit": "100", "http.lowSpeedTime": "20",
    "credential.helper": "", "core.hooksPath": os.devnull, "core.symlinks": "false", "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false", "transfer.bundleURI": "false", "protocol.version": "2", "gc.auto": "0",
    "maintenance.auto": "false",
}  # fmt: skip

# Reasons with figures, which are filled in where they are stored.
TOO_LARGE = gettext_noop("It is larger than {size}.")
ALL_TOO_LARGE = gettext_noop("All together are larger than {size}.")
FILES_TOO_LARGE = gettext_noop("Its files are larger than {size} together.")
TOO_MANY_FILES = gettext_noop("It has more than {n} files.")
OTHER_ANSWER = gettext_noop("Its server answered {status}.")
WITH_FIGURES = TOO_LARGE, ALL_TOO_LARGE, FILES_TOO_LARGE, TOO_MANY_FILES, OTHER_ANSWER

TOKEN_REFUSED = gettext_noop("Its server refused the token, or asks for one. Enter a token that may read it.")
# Parts of what git prints in English, and what they mean; the rest of it may be the words of a server.
MEANINGS = (
    ("couldn't find remote ref", gettext_noop("It has no such branch, or no commit at all.")),
    ("not our ref", gettext_noop("It has no such commit.")),
    ("unadvertised object", gettext_noop("It has no such commit, or its server does not serve single commits.")),
    ("error: 30", gettext_noop("Its server redirects to another address. Enter that address.")),
    ("File too large", gettext_noop("It is larger than 100 MB.")),
    ("signal 25", gettext_noop("It is larger than 100 MB.")),
    ("Authentication failed", TOKEN_REFUSED),
    ("error: 403", TOKEN_REFUSED),
    ("could not read Username", TOKEN_REFUSED),
    ("Out of memory", gettext_noop("Reading it takes more memory than it may use.")),
)


class BadList(ValueError):
    """A list cannot be used; the message says which line, and why."""


class Listed(NamedTuple):
    """A repository of a list; an empty branch is the default one, an empty commit the newest that counts."""

    student: str
    address: str
    branch: str = ""
    commit: str = ""


def parse(text: str) -> list[Listed]:
    """Return the repositories of a list, CSV or JSON; one without a student is named after its repository.

    Raises BadList when a line is none, a student is listed twice, or there are no or too many lines.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadList(_("The list is longer than {n} characters.").format(n=MOST_CHARACTERS))
    text = text.removeprefix("\ufeff")
    rows = _objects(text) if text.lstrip().startswith(("[", "{")) else _rows(text)
    if not rows or len(rows) > MOST_REPOSITORIES:
        raise BadList(_("List 1 to {n} repositories, one a line.").format(n=MOST_REPOSITORIES))
    listed = {place: _listed(place, row) for place, row in rows.items()}
    named = _named(list(listed.values()))
    seen: dict[str, str] = {}
    for place, one in zip(listed, named, strict=True):
        if one.student in seen:
            text = _("{place} and {other} are of the same student. List one repository for each.")
            raise BadList(text.format(place=seen[one.student], other=place))
        seen[one.student] = place
    return named


def _rows(text: str) -> dict[str, list[str]]:
    """Return the cells of the lines that have any; of grades of GitHub Classroom, the students and the address."""
    try:
        rows = {
            _("Line {n}").format(n=number): cells
            for number, line in enumerate(text.splitlines(), 1)
            for row in csv.reader([line], skipinitialspace=True, delimiter=_delimiter(line))
            if any(cells := [cell.strip() for cell in row])
        }
    except csv.Error as error:
        raise BadList(_("The list is no CSV: {error}.").format(error=error)) from error
    first = next(iter(rows), "")
    header = [cell.casefold() for cell in rows.get(first, [])]
    if header[:2] == HEADER:
        del rows[first]
    return rows if set(header).isdisjoint(FIELDS[1]) else _by_repository(header, rows)


def _by_repository(header: list[str], rows: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the students and the address of each repository; a team has one, and some accepted nothing."""
    students_by_address: dict[str, tuple[str, list[str]]] = {}
    for place, row in list(rows.items())[1:]:
        student, address = _fields(dict(zip(header, row, strict=False)))
        if address:
            students_by_address.setdefault(address, (place, []))[1].append(student)
    return {
        place: [", ".join(filter(None, students)), address]
        for address, (place, students) in students_by_address.items()
    }


def _objects(text: str) -> dict[str, list[str]]:
    """Return the fields of the repositories of an answer of GitHub or GitLab."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadList(_("The list is no JSON: {error}.").format(error=error)) from error
    rows = [one if isinstance(one, dict) else {} for one in (answer if isinstance(answer, list) else [answer])]
    return {_("Repository {n}").format(n=number): _fields(_flat(row)) for number, row in enumerate(rows, 1)}


def _flat(accepted: dict[str, Any]) -> dict[str, Any]:
    """Return a repository; of an accepted assignment, its repository with the students who accepted it."""
    repository, students = accepted.get("repository"), accepted.get("students")
    logins = [one.get("login") for one in students if isinstance(one, dict)] if isinstance(students, list) else []
    named = {"student": ", ".join(login for login in logins if isinstance(login, str))}
    return named | (repository if isinstance(repository, dict) else accepted)


def _fields(row: dict[str, Any]) -> list[str]:
    return [next((row[name] for name in names if row.get(name) and isinstance(row[name], str)), "") for names in FIELDS]


def _delimiter(line: str) -> str:
    return ";" if ";" in line and "," not in line else "\t" if "\t" in line else ","


def _listed(place: str, row: list[str]) -> Listed:
    first = 0 if "://" in row[0] else 1
    cells = [*row[first:], "", "", ""]
    address, branch, commit = cells[0].rstrip("/"), cells[1], cells[2].lower()
    reason = _problem(address, branch, commit)
    if any(cells[3:]):
        reason = _("there are more than student, address, branch and commit")
    if reason:
        raise BadList(_("{place}: {reason}.").format(place=place, reason=reason))
    student = clean_name(row[0])[:LONGEST_NAME] if first else ""
    return Listed(student, address, branch, commit)


def _problem(address: str, branch: str, commit: str) -> str:
    """Return why one of these cannot be used; empty if they all can."""
    parts = urlsplit(address) if web_origin(address) else None
    plain = address.isascii() and address.isprintable() and not {" ", "\\"} & set(address)
    if parts is None or not plain or len(address) > LONGEST_ADDRESS or not parts.path.strip("/"):
        return _("the address must be https://host/path of a repository")
    if parts.username is not None or parts.query or parts.fragment:
        return _("the address must have no user, no password and no query; a token has its own field")
    if branch and (len(branch) > LONGEST_BRANCH or ".." in branch or not BRANCH.fullmatch(branch)):
        return _("that is no name of a branch")
    if commit and not (len(commit) in DIGITS_OF_COMMITS and COMMIT.fullmatch(commit)):
        return _("a commit is 40 or 64 hexadecimal digits")
    return ""


def _named(listed: list[Listed]) -> list[Listed]:
    """Name each row without a student after its repository, with the owner where two names are equal."""
    last = Counter(_last_parts(one.address, 1) for one in listed if not one.student)
    named = []
    for one in listed:
        short = _last_parts(one.address, 1)
        student = one.student or (short if last[short] == 1 else _last_parts(one.address, 2))
        named.append(one._replace(student=clean_name(student)[:LONGEST_NAME] or one.address))
    return named


def _last_parts(address: str, number: int) -> str:
    return " ".join(urlsplit(address).path.strip("/").removesuffix(".git").split("/")[-number:])


class Remote(NamedTuple):
    """A repository to fetch from: its address, the checked IP address of its host, and a token or nothing."""

    address: str
    ip: str
    token: str = ""


class GitFailed(Exception):
    """A repository cannot be fetched; the message says why. Where it is `passing`, it may work later."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class GitMissing(Exception):
    """There is no git program that can be used; the message says what to do."""


def program() -> str:
    """Return the path of git; raise GitMissing."""
    path = which("git")
    if not path:
        raise GitMissing(gettext_noop("The program git is not installed. On Debian: apt install git"))
    return path


def version() -> tuple[int, ...]:
    """Return the version of git as numbers; raise GitMissing without one."""
    command = [program(), "--version"]
    text = subprocess.run(command, capture_output=True, check=True, timeout=10).stdout.decode()  # noqa: S603 - a constant
    return tuple(int(part) for part in text.split()[2].split(".")[:2])


def authorization(token: str) -> str:
    """Return the value of the header that states a token; `user:token` has its own user name."""
    pair = token if ":" in token else f"{TOKEN_USER}:{token}"
    return f"Basic {b64encode(pair.encode()).decode()}"


class Git:
    """The git program in a folder of its own, for one remote repository."""

    def __init__(self, folder: Path, remote: Remote, seconds: float = SECONDS) -> None:
        self.folder, self.remote, self.seconds = folder, remote, seconds

    def run(self, *arguments: str, most: int = 1_000_000) -> bytes:
        """Return what git prints, at most so many bytes; raise GitFailed."""
        with self.started(arguments) as process:
            assert process.stdout is not None
            output: bytes = process.stdout.read(most + 1)
            if len(output) > most:
                raise GitFailed(gettext_noop("It has too many files."))
        return output

    @contextmanager
    def started(self, arguments: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Yield a started git; when the block ends, wait for it, and raise GitFailed unless it succeeded."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(  # noqa: S603 - git, with checked arguments and no shell
                self._command(arguments),
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            late = Event()
            timer = Timer(self.seconds, _end, (process, late))
            timer.start()
            try:
                yield process
                if process.stdin:
                    process.stdin.close()
                status = process.wait()
            finally:
                timer.cancel()
                _end(process)
                process.wait()
                for pipe in (process.stdin, process.stdout):
                    if pipe:
                        with suppress(BrokenPipeError):
                            pipe.close()
            if late.is_set():
                raise GitFailed(gettext_noop("It took too long."), passing=True)
            if status:
                errors.seek(0)
                raise failure(status, errors.read(ERROR_CHARACTERS).decode(errors="replace"))

    def _command(self, arguments: Sequence[str]) -> list[str]:
        limits = map(str, (MEMORY, PACK_BYTES, PROCESSOR_SECONDS, os.getpid()))
        launcher = [sys.executable, "-P", "-m", "submissions.intake.sandbox.program"]
        return [*launcher, *limits, program(), *arguments]

    def _environment(self) -> dict[str, str]:
        config = {**CONFIG, **self._of_remote()}
        bundle = os.environ.get("REQUESTS_CA_BUNDLE")
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path),
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "GIT_ALLOW_PROTOCOL": urlsplit(self.remote.address).scheme,
            "GIT_CONFIG_COUNT": str(len(config)),
            **{f"GIT_CONFIG_KEY_{n}": name for n, name in enumerate(config)},
            **{f"GIT_CONFIG_VALUE_{n}": value for n, value in enumerate(config.values())},
            **({"GIT_SSL_CAINFO": bundle} if bundle else {}),
        }

    def _of_remote(self) -> dict[str, str]:
        """Return the settings that name the IP address of the host, and state the token to this host only."""
        parts = urlsplit(self.remote.address)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        ip = f"[{self.remote.ip}]" if ":" in self.remote.ip else self.remote.ip
        config = {"http.curloptResolve": f"{parts.hostname}:{port}:{ip}"}
        if self.remote.token:
            origin = f"{parts.scheme}://{parts.netloc}/"
            config[f"http.{origin}.extraHeader"] = f"Authorization: {authorization(self.remote.token)}"
        return config


def _end(process: subprocess.Popen[bytes], late: Event | None = None) -> None:
    """End a program with all that it started; note it if that is because it is late."""
    if late:
        late.set()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def failure(status: int, errors: str) -> GitFailed:
    """Return the error that the exit status and the messages of git stand for."""
    if status in {-signal.SIGXFSZ, 128 + signal.SIGXFSZ}:
        return GitFailed(MEANINGS[4][1])
    for part, meaning in MEANINGS:
        if part.casefold() in errors.casefold():
            return GitFailed(meaning)
    passing = any(part in errors for part in ("timed out", "too slow", "Could not resolve", "error: 5", "RPC"))
    return GitFailed(gettext_noop("Git could not fetch it."), passing=passing)
