"""`moss submit`: send a folder or a list of repositories to a server, and print its pairs. No Django here."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import ssl
import sys
import tempfile
import time
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO
from urllib.parse import urlsplit
from uuid import uuid4

import click

from moss.compiling import cache_folder

if TYPE_CHECKING:
    Progress = Callable[[str, int, int], None]

TIMEOUT = 120
# The exit status where the report lacks work of students.
INCOMPLETE = 3
# How often a request is sent that came too early, and the seconds to wait if the server names none.
TRIES, WAIT = 12, 5
TOO_MANY, FIRST_ERROR, FIRST_SERVER_ERROR = 429, 300, 500
BUSY = (TOO_MANY, 503)
# Statuses with which the server says how much of an upload has arrived.
TELLS_OFFSET = (200, 204, 409)
# What a proxy in front of the server answers itself: its answer is not JSON.
OF_PROXY = {
    413: "a proxy before the server takes no body as large as that; ask whoever runs it to raise its limit"
    " (of nginx: client_max_body_size)",
    502: "a proxy before the server does not reach it; ask whoever runs it whether its web server runs",
    503: "a proxy before the server, or the server itself, takes no requests now; try again later",
    504: "a proxy before the server got no answer in its time (of nginx: proxy_read_timeout); try again later",
}

PART_BYTES = 8 << 20
# Seconds to wait before a part is sent again, each after the one before failed too.
WAITS = (1, 2, 5, 10, 20, 30, 60)

FOLDER = "uploads"
# The server deletes an upload a day after its last part.
KEPT_SECONDS = 2 * 86_400

# Seconds between two questions for the state.
EVERY = 1.0
STAGES = {"queued": "Waiting", "unpacking": "Unpacking", "fingerprinting": "Reading", "ranking": "Ranking"}

TOKEN_HELP = "Create one on the page of your account, and set MOSS_TOKEN or name its file by --token-file."  # noqa: S105


class ServerRefused(Exception):
    """The server did not do what was asked; the message says why."""


class NotAnswered(ServerRefused):
    """The server did not answer, or could not just now; the same request may succeed later."""


@dataclass(frozen=True, slots=True)
class Service:
    """The API of a server, as seen with a token."""

    server: str
    token: str

    def get(self, path: str) -> Any:
        """Return the JSON of a path of the API; raise ServerRefused for an error, or no JSON."""
        return self._ask_again("GET", path, None, {})

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Create an object with these fields; return it. Raises as `get` does."""
        headers = {"Content-Type": "application/json"}
        return self._ask_again("POST", path, json.dumps(body).encode(), headers)

    def begin(self, path: str, length: int, fields: Mapping[str, str]) -> int:
        """Begin an upload of `length` bytes; return its id."""
        named = (f"{name} {b64encode(value.encode()).decode()}" for name, value in fields.items())
        headers = {"Upload-Length": str(length), "Upload-Metadata": ",".join(named), "Content-Length": "0"}
        return int(self._ask_again("POST", f"{path}/resumable", None, headers)["id"])

    def offset(self, upload: int) -> int:
        """Return how many bytes of an upload have arrived."""
        return _offset(*self._ask("HEAD", f"/resumable/{upload}", None, {}))

    def send_part(self, upload: int, offset: int, part: bytes) -> int:
        """Send what follows the first `offset` bytes; return where the next part begins."""
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(len(part)),
            "Upload-Offset": str(offset),
        }
        return _offset(*self._ask("PATCH", f"/resumable/{upload}", part, headers))

    def _ask_again(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Any:
        """Return the answer, asked for again while the server is busy; with one key, so that it acts once."""
        keys = {"Idempotency-Key": str(uuid4())} if method == "POST" else {}
        for _ in range(TRIES - 1):
            response, content = self._ask(method, path, body, headers | keys)
            try:
                return _answer(response, content)
            except NotAnswered as error:
                if response.status not in BUSY:
                    raise
                wait = response.headers.get("Retry-After", "")
                _wait(error, min(int(wait), 60) if wait.isdecimal() else WAIT)
        return _answer(*self._ask(method, path, body, headers | keys))

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        parts = urlsplit(self.server)
        connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT)
        if parts.scheme == "https":
            trusted = ssl.create_default_context(cafile=os.environ.get("REQUESTS_CA_BUNDLE"))
            connection = http.client.HTTPSConnection(parts.netloc, timeout=TIMEOUT, context=trusted)
        try:
            sent = {"Authorization": f"Bearer {self.token}", "Accept-Language": "en", **headers}
            connection.request(method, f"{parts.path}/api/v1{path}", body, sent)
            response = connection.getresponse()
            return response, response.read()
        except http.client.HTTPException as error:
            raise NotAnswered(f"{self.server} did not answer as a web server does: {error!r}.") from error
        finally:
            connection.close()


def _offset(response: http.client.HTTPResponse, content: bytes) -> int:
    """Return where the next part of an upload begins; a part that began elsewhere was not taken."""
    offset = response.headers.get("Upload-Offset", "")
    if offset.isdecimal() and response.status in TELLS_OFFSET:
        return int(offset)
    _answer(response, content)
    raise ServerRefused("The server did not say how much has arrived.")


def _answer(response: http.client.HTTPResponse, content: bytes) -> Any:
    """Return the JSON of an answer; raise NotAnswered where the same request may succeed later, or ServerRefused."""
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    status = response.status
    if status < FIRST_ERROR and document is not None:
        return document
    reason = document.get("detail") if isinstance(document, dict) else OF_PROXY.get(status)
    if status == TOO_MANY or status >= FIRST_SERVER_ERROR:
        raise NotAnswered(f"The server answered {status}: {reason or 'it says no more'}")
    reason = reason or "that is not the API of moss; check the address of the server"
    raise ServerRefused(f"The server answered {status}: {reason}")


def _wait(reason: object, seconds: int) -> None:
    """Say why nothing happens for some seconds, and wait."""
    from moss.commands.tables import printable

    click.echo(printable(f"{str(reason).rstrip('.')}. Trying again in {seconds} s."), err=True)
    time.sleep(seconds)


def assignment_named(service: Service, course: str, name: str) -> int:
    """Return the id of the assignment of this name in a course, which is named or known by its id.

    Where the course has none of this name, it is created. Raises ServerRefused when the token reads no such
    course, or several, or may not create the assignment.
    """
    path = f"/courses/{_course(service, course)}/assignments"
    same_name = [one for one in service.get(path)["items"] if one["name"] == name]
    return int((same_name[0] if same_name else service.post(path, {"name": name}))["id"])


def _course(service: Service, wanted: str) -> int:
    courses: list[dict[str, Any]] = service.get("/courses")["items"]
    named = [one["id"] for one in courses if one["name"] == wanted]
    ids = named or [one["id"] for one in courses if str(one["id"]) == wanted]
    if len(ids) == 1:
        return int(ids[0])
    if ids:
        raise ServerRefused(f"{len(ids)} courses are called {wanted!r}: name one of the ids {ids}.")
    names = ", ".join(f"{one['name']} ({one['id']})" for one in courses) or "none"
    raise ServerRefused(f"There is no course {wanted!r} for this token. There are: {names}.")


def send_file(
    service: Service, path: str, file: Path, fields: Mapping[str, str], *, progress: Progress, begun: BegunUpload
) -> Any:
    """Upload a file to the assignment at `path`; return the upload, as the API describes it.

    An upload that was begun and not ended goes on; one that arrived whole is not sent again. Raises ServerRefused when
    the server refuses the file, or cannot be reached for some minutes. Raises OSError when it cannot be reached at all.
    """
    state = _continued(service, begun)
    if state is None:
        size = file.stat().st_size
        state = {"id": service.begin(path, size, fields), "offset": 0, "length": size, "upload": None}
        begun.write(state["id"])
    if state["upload"] is None:
        with file.open("rb") as opened:
            _send_parts(service, state, opened, progress)
        state = service.get(f"/resumable/{state['id']}")
    return service.get(f"/uploads/{state['upload']}")


def _continued(service: Service, begun: BegunUpload) -> dict[str, Any] | None:
    """Return what the server has of an upload that an earlier command began; None where it has nothing."""
    upload = begun.read()
    if upload is None:
        return None
    try:
        state: dict[str, Any] = service.get(f"/resumable/{upload}")
        if state["offset"] == state["length"] and state["upload"] is None:
            # It was refused when it was whole, or its upload was deleted since; an empty part asks again.
            service.send_part(upload, state["offset"], b"")
            state = service.get(f"/resumable/{upload}")
            return state if state["upload"] else None
    except ServerRefused:
        return None
    return state


def _send_parts(service: Service, begun: dict[str, Any], file: BinaryIO, progress: Progress) -> None:
    upload, offset, size, failures = begun["id"], begun["offset"], begun["length"], 0
    while True:
        progress("Uploading", offset, size)
        try:
            # After a lost connection, only the server knows how much of the last part arrived.
            begin = service.offset(upload) if failures else offset
            file.seek(begin)
            part = file.read(PART_BYTES)
            offset = service.send_part(upload, begin, part)
        except (OSError, NotAnswered) as error:
            if failures == len(WAITS):
                raise
            _wait(error, WAITS[failures])
            failures += 1
            continue
        failures = 0
        if offset == size:
            return


@dataclass(frozen=True, slots=True)
class BegunUpload:
    """The file that has the id of an upload; None where nothing may be cached.

    What cannot be read or written there costs a whole upload, and stops none.
    """

    file: Path | None

    @classmethod
    def of(cls, archive: Path, *about: str) -> BegunUpload:
        """Return that of an archive; `about` says where it goes, the server and the assignment among it."""
        folder = cache_folder()
        with archive.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256")
        digest.update("\0".join(about).encode())
        return cls(folder / FOLDER / digest.hexdigest() if folder else None)

    def read(self) -> int | None:
        with suppress(OSError):
            text = self.file.read_text(encoding="ascii") if self.file else ""
            return int(text) if text.isdecimal() else None
        return None

    def write(self, upload: int) -> None:
        if self.file:
            with suppress(OSError):
                self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                for old in self.file.parent.iterdir():
                    with suppress(FileNotFoundError):  # another command has deleted it meanwhile
                        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
                            old.unlink()
                self.file.write_text(str(upload), encoding="ascii")

    def forget(self) -> None:
        if self.file:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)


class NotRanked(Exception):
    """There is no report of what was uploaded; the message says why."""


def submit_folder(
    service: Service, folder: Path, assignment: int, *, role: str, show: int, progress: Progress
) -> dict[str, Any]:
    """Return the upload, the report, and its first pairs; go on where an earlier call was ended.

    Raises NotRanked when the folder is empty, or the upload or the ranking failed or was cancelled. Raises
    ServerRefused when the server did not do what was asked.
    """
    path = f"/assignments/{assignment}"
    with tempfile.TemporaryDirectory() as temporary:
        archive = Path(temporary) / "upload.zip"
        if not pack(folder, archive):
            raise NotRanked(f"There is no file in {folder}.")
        name = f"{folder.resolve().name or 'upload'}.zip".encode(errors="replace").decode()
        begun = BegunUpload.of(archive, service.server, path, role)
        upload = send_file(service, path, archive, {"filename": name, "role": role}, progress=progress, begun=begun)
    try:
        result = _ranked(service, path, upload, show, progress)
    except NotRanked:
        begun.forget()
        raise
    begun.forget()
    return result


def submit_repositories(
    service: Service, source: dict[str, Any], assignment: int, *, role: str, show: int, progress: Progress
) -> dict[str, Any]:
    """Have the repositories of a list fetched; return them, the upload, the report, and its first pairs.

    `source` is what the API takes: the list, a token for it, and when it is fetched once more. Raises NotRanked or
    ServerRefused as `submit_folder` does; the message names the repositories where none could be fetched.
    """
    path = f"/assignments/{assignment}"
    fetch = service.post(f"{path}/repositories", {**source, "role": role})
    one = f"{path}/repositories/{fetch['id']}"
    while fetch["state"] == "fetching":
        progress("Fetching", fetch["done"], fetch["total"])
        time.sleep(EVERY)
        fetch = service.get(one)
    if fetch["state"] != "done":
        reasons = [f"{row['student']}: {row['reason']}" for row in fetch["repositories"] if row["reason"]]
        raise NotRanked(" ".join([f"The list is {fetch['state']}. {fetch['message']}".strip(), *reasons]))
    upload = service.get(f"/uploads/{fetch['upload']}")
    return {"repositories": fetch["repositories"], **_ranked(service, path, upload, show, progress)}


def _ranked(service: Service, path: str, upload: dict[str, Any], show: int, progress: Progress) -> dict[str, Any]:
    upload = _wait_for_upload(service, upload, progress)
    report = _wait_for_report(service, path, progress)
    pairs = service.get(f"{path}/pairs?limit={show}")["items"]
    return {"upload": upload, "report": report, "pairs": pairs}


def pack(folder: Path, archive: Path) -> int:
    """Write all files of a folder to a zip, without following links; return their number."""
    count = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        for path in _files(folder):
            name = os.fsencode(path.relative_to(folder).as_posix()).decode(errors="replace")
            packed.write(path, name)
            count += 1
    return count


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _wait_for_upload(service: Service, upload: dict[str, Any], progress: Progress) -> dict[str, Any]:
    while upload["state"] in STAGES:
        ranking = upload["ranking"]
        if ranking:
            progress(ranking["stage"], ranking["done"], ranking["total"])
        else:
            progress(STAGES[upload["state"]], upload["documents_done"], upload["documents_total"])
        time.sleep(EVERY)
        upload = service.get(f"/uploads/{upload['id']}")
    if upload["state"] != "done":
        raise NotRanked(f"The upload is {upload['state']}. {upload['message']}".strip())
    return upload


def _wait_for_report(service: Service, path: str, progress: Progress) -> dict[str, Any]:
    report: dict[str, Any] = service.get(f"{path}/report")
    while report["state"] == "pending":
        ranking = report["ranking"] or {"stage": "Ranking", "done": 0, "total": 0}
        progress(ranking["stage"], ranking["done"], ranking["total"])
        time.sleep(EVERY)
        report = service.get(f"{path}/report")
    if report["state"] != "done":
        raise NotRanked(f"There is no report: its state is {report['state']}. {report['message']}".strip())
    return report


@click.command()
@click.argument("server")
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--assignment", required=True, help="Id of the assignment; with --course, its name.")
@click.option("--course", default="", help="Name or id of the course; an assignment that is not there is created.")
@click.option("--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The token.")
@click.option("--earlier", "role", flag_value="earlier", help="The folder has earlier or other work.")
@click.option("--model-solutions", "role", flag_value="model", help="Nobody handed in what the folder has.")
@click.option(
    "--git",
    "repositories",
    type=click.File(encoding="utf-8-sig"),
    help="Instead of FOLDER: a list of Git repositories, 'student,address[,branch[,commit]]' a line.",
)
@click.option("--git-token-env", default="", help="Name of the variable with the token that reads them.")
@click.option(
    "--again",
    "hours",
    type=click.IntRange(min=0),
    metavar="HOURS",
    help="With --git: fetch once more, so many hours after the due date; 0 is as soon as it has passed.",
)
@click.option("--show", type=click.IntRange(1, 500), default=20, show_default=True, help="Pairs to print.")
@click.option("--json", "as_json", is_flag=True, help="Print the report and its pairs as JSON.")
def submit(  # noqa: PLR0917 - click's
    server: str,
    folder: Path | None,
    assignment: str,
    course: str,
    token_file: Path | None,
    role: str | None,
    repositories: TextIO | None,
    git_token_env: str,
    hours: int | None,
    show: int,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Upload a folder to a server, wait for the report, and print its pairs.

    With --git, the server fetches the repositories of a list instead.

    SERVER is an address such as https://moss.example.org. FOLDER has what the students handed in, as `moss
    check` takes it. If the command is ended, the same command goes on within a day. The token is in the
    environment variable MOSS_TOKEN or in a file: an argument could be read by every user of this machine.
    The exit status is 3 if not all of an upload was read.
    """
    from moss.commands.tables import printable

    source = _git_source(repositories, git_token_env, hours, is_one_named=bool(folder) != bool(repositories))
    service = Service(_origin(server), _token(token_file))
    key = None if course else _id(assignment)
    try:
        key = key or assignment_named(service, course, assignment)
        with _progress() as progress:
            about: dict[str, Any] = {"role": role or "class", "show": show, "progress": progress}
            if source:
                result = submit_repositories(service, source, key, **about)
            elif folder:
                result = submit_folder(service, folder, key, **about)
    except (ServerRefused, NotRanked, OSError) as error:
        raise click.ClickException(printable(str(error))) from error
    _name_failed(result)
    click.echo(json.dumps(result, indent=2, ensure_ascii=False) if as_json else _table(result), nl=as_json)
    _end_if_incomplete(result)


def _id(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise click.UsageError(f"{text!r} is not the id of an assignment. To give a name, add --course.")
    return int(text)


def _origin(server: str) -> str:
    parts = urlsplit(server)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.username:
        raise click.UsageError(f"{server!r} is not the address of a server, such as https://moss.example.org.")
    return server.rstrip("/")


def _name_failed(result: dict[str, Any]) -> None:
    from moss.commands.tables import printable

    for one in result.get("repositories", ()):
        if one["state"] == "failed":
            click.echo(printable(f"{one['student'] or 'hidden'}: {one['reason']}"), err=True)


def _end_if_incomplete(result: dict[str, Any]) -> None:
    """End with a status of its own where the report lacks work of students."""
    if result["report"].get("incomplete"):
        click.echo("Not all of an upload was read: its page says what is missing.", err=True)
        sys.exit(INCOMPLETE)


def _git_source(repositories: TextIO | None, variable: str, hours: int | None, *, is_one_named: bool) -> dict[str, Any]:
    """Return what the API takes to fetch a list of repositories; nothing where there is no list."""
    if not is_one_named:
        raise click.UsageError("Name a FOLDER, or a list of repositories with --git.")
    token = _git_token(variable)
    if not repositories:
        if hours is not None:
            raise click.UsageError("--again is for a list of repositories: add --git.")
        return {}
    again = {} if hours is None else {"again_after_due": True, "hours_after_due": hours}
    return {"repositories": repositories.read(), "token": token, **again}


def _git_token(variable: str) -> str:
    """Return the token in a variable; an empty one where none is named."""
    token = os.environ.get(variable, "").strip() if variable else ""
    if variable and not token:
        raise click.UsageError(f"The variable {variable} is empty: set it to the token.")
    return token


def _token(file: Path | None) -> str:
    token = (file.read_text(encoding="utf-8") if file else os.environ.get("MOSS_TOKEN", "")).strip()
    if not token:
        raise click.UsageError(f"A token is missing. {TOKEN_HELP}")
    if not (token.isascii() and token.isprintable()):
        raise click.UsageError(f"That is no token. {TOKEN_HELP}")
    return token


@contextmanager
def _progress() -> Iterator[Progress]:
    """Yield a function that shows a stage with what is done of it, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Packing", total=None)
        yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total or None)


def _table(answer: dict[str, Any]) -> str:
    from moss.commands.tables import pairs_text
    from submissions.matches.ranked_pairs import PairRow

    report = answer["report"]
    names = PairRow._fields
    rows = [PairRow(**{name: pair[name] for name in names if name in pair}) for pair in answer["pairs"]]
    threshold = report["threshold"]
    if threshold["reason"] == "chosen":
        sentence = f"Threshold {threshold['value']:.2f}: chosen; {threshold['suggested']:.2f} is suggested."
    else:
        sentence = f"Suggested threshold {threshold['value']:.2f}: {threshold['reason']}."
    if "look" in threshold:  # servers of version 0.1.0 do not say it
        look, far = threshold["look"], threshold["stands_out"]
        sentence += f" Pairs from {look:.2f} on are to be looked at; those from {far:.2f} on stand out."
    click.echo(f"{report['submissions']} submissions. {sentence}", err=True)
    return "".join(pairs_text(rows))
