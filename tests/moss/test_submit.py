"""`moss submit` against a real server: refusals, a busy server, and connections that are lost."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from http.server import HTTPServer
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from moss.commands import submit as submitting
from moss.commands.submit import KEPT_SECONDS, TRIES, BegunUpload, ServerRefused, Service, pack
from submissions.models import Assignment, Batch, Course
from tests.support.api import secret_of
from tests.support.git_server import GitServer, hand_in
from tests.support.loopback import Handler, serving
from tests.support.processes import completed
from tests.support.receiver import Receiver
from tests.support.sample_class import CLASS
from tests.support.web_server import web_server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a class, and a link out of it that is not followed."""
    root = tmp_path / "class of 2026"
    for name, text in CLASS.items():
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text)
    (tmp_path / "secret.py").write_text("password = 1")
    (root / "ada" / "link.py").symlink_to(tmp_path / "secret.py")
    return root


def run(*arguments: str, token: str = "") -> subprocess.CompletedProcess[str]:
    """Run `moss submit` as a program."""
    return completed(
        [sys.executable, "-m", "moss", "submit", *arguments],
        env={**os.environ, "MOSS_TOKEN": token},
        cwd=settings.BASE_DIR,
        timeout=200,
    )


@pytest.mark.long
@pytest.mark.slow
def test_a_folder_is_uploaded_and_its_pairs_are_printed(
    celery_worker_process: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    owner = User.objects.create_user("alice")
    course = Course.objects.create(owner=owner, name="Programming 1")
    assignment = str(Assignment.objects.create(course=course, name="Statistics").pk)
    token_file = tmp_path / "token"
    token_file.write_text(secret_of(owner) + "\n")
    with web_server() as port:
        server = f"http://localhost:{port}"
        printed = run(server, str(folder), "--assignment", assignment, "--token-file", str(token_file))
        assert printed.returncode == 0, printed.stderr
        assert "3 submissions. Suggested threshold" in printed.stderr
        first = next(line for line in printed.stdout.splitlines() if line.startswith("1"))
        assert first.split()[1:3] == ["ada", "ben"]
        again = run(server, str(folder), "--assignment", assignment, "--json", token=secret_of(owner))
        output = json.loads(again.stdout)
        assert output["upload"]["name"] == "class of 2026.zip"
        assert output["upload"]["documents_total"] == 3
        assert (output["pairs"][0]["left"], output["report"]["state"]) == ("ada", "done")
        # What was ranked is forgotten, so that the same folder can be uploaded again.
        assert Batch.objects.count() == 2
        assert list((tmp_path / "cache" / "uploads").iterdir()) == []
        refused = run(server, str(folder), "--assignment", assignment, token=secret_of(owner, "read"))
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "The server answered 403: This token only reads." in refused.stderr
        Batch.objects.update(incomplete=True)
        (tmp_path / "late" / "zoe").mkdir(parents=True)
        (tmp_path / "late" / "zoe" / "main.py").write_text(CLASS["ada/main.py"])
        late = run(server, str(tmp_path / "late"), "--assignment", assignment, token=secret_of(owner))
        assert (late.returncode, "Not all of an upload was read" in late.stderr) == (3, True)
        assert "zoe" in late.stdout


@pytest.mark.long
@pytest.mark.slow
def test_the_repositories_of_a_list_are_fetched_and_the_failed_ones_named(
    celery_worker_process: Path, git_server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = User.objects.create_user("alice")
    assignment = Course.objects.create(owner=owner, name="Programming 1").assignments.create(
        name="Statistics", due=timezone.now() + timedelta(days=1)
    )
    for name, text in CLASS.items():
        hand_in(git_server.repository(f"private/{Path(name).parts[0]}"), {"main.py": text.encode()})
    names = [Path(name).parts[0] for name in CLASS]
    listed = tmp_path / "list.csv"
    listed.write_text("".join(f"{one},{git_server.url(f'private/{one}')}\n" for one in [*names, "nobody"]))
    monkeypatch.setenv("GIT_TOKEN", git_server.token)
    about = ("--assignment", str(assignment.pk), "--git", str(listed), "--git-token-env")
    with web_server() as port:
        server = f"http://localhost:{port}"
        printed = run(server, *about, "GIT_TOKEN", "--again", "24", token=secret_of(owner))
        assert printed.returncode == 0, printed.stderr
        [fetch] = assignment.repository_fetches.all()
        assert (fetch.again_after_due, fetch.hours_after_due) == (True, 24)
        assert "nobody: There is no such repository" in printed.stderr
        first = next(line for line in printed.stdout.splitlines() if line.startswith("1"))
        assert first.split()[1:3] == ["ada", "ben"]
        monkeypatch.setenv("WRONG", "wrong")
        refused = run(server, *about, "WRONG", token=secret_of(owner))
        assert refused.returncode == 1
        assert "Its server refused the token" in refused.stderr


def test_a_folder_or_a_list_is_named_and_not_both(folder: Path) -> None:
    about = ("http://localhost:1", "--assignment", "1")
    assert "Name a FOLDER, or a list of repositories" in run(*about, token="t").stderr
    both = run(*about, str(folder), "--git", str(folder / "ada" / "main.py"), token="t")
    assert "Name a FOLDER, or a list of repositories" in both.stderr
    empty = run(*about, "--git", str(folder / "ada" / "main.py"), "--git-token-env", "NOT_SET", token="t")
    assert "The variable NOT_SET is empty" in empty.stderr
    again = run(*about, str(folder), "--again", "24", token="t")
    assert "--again is for a list of repositories" in again.stderr


@pytest.mark.long
@pytest.mark.slow
def test_an_assignment_that_is_not_there_is_created(
    celery_worker_process: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    owner = User.objects.create_user("alice")
    course = Course.objects.create(owner=owner, name="Programming 1")
    token = secret_of(owner)
    named = ("--course", "Programming 1", "--assignment", "Sheet 7", "--json")
    with web_server() as port:
        server = f"http://localhost:{port}"
        for _ in range(2):  # the second run finds it
            printed = run(server, str(folder), *named, token=token)
            assert printed.returncode == 0, printed.stderr
            assert json.loads(printed.stdout)["report"]["state"] == "done"
        assert [one.name for one in course.assignments.all()] == ["Sheet 7"]
        assert Batch.objects.count() == 2
        unknown = run(server, str(folder), "--course", "Prog", "--assignment", "Sheet 7", token=token)
        assert (unknown.returncode, Assignment.objects.count()) == (1, 1)
        assert f"There is no course 'Prog' for this token. There are: Programming 1 ({course.pk})." in unknown.stderr
        Course.objects.create(owner=User.objects.create_user("bob"), name="Programming 1").memberships.create(
            user=owner, role="instructor"
        )
        several = run(server, str(folder), *named, token=token)
        assert "2 courses are called 'Programming 1': name one of the ids" in several.stderr
        id_of = ("--course", str(course.pk), *named[2:])
        by_id = run(server, str(folder), *id_of, "--model-solutions", token=token)
        assert by_id.returncode == 0, by_id.stderr
        output = json.loads(by_id.stdout)
        assert output["upload"]["role"] == "model"
        assert any("(model solution, class of 2026)" in pair["right"] for pair in output["pairs"])


def test_without_a_course_the_assignment_is_an_id(folder: Path) -> None:
    for text in ("Sheet 7", "0", "٣"):
        refused = run("https://moss.example.org", str(folder), "--assignment", text, token="moss_x")
        assert refused.returncode == 2
        assert "is not the id of an assignment. To give a name, add --course." in refused.stderr


def test_a_token_is_never_taken_from_the_arguments(folder: Path) -> None:
    missing = run("https://moss.example.org", str(folder), "--assignment", "1")
    assert missing.returncode == 2
    assert "A token is missing." in missing.stderr
    assert "--token " not in run("--help").stdout


@pytest.mark.parametrize("server", ["moss.example.org", "ftp://moss.example.org", "https://me@moss.example.org"])
def test_an_address_that_is_none_is_refused(server: str, folder: Path) -> None:
    refused = run(server, str(folder), "--assignment", "1", token="moss_x")
    assert refused.returncode == 2
    assert "is not the address of a server" in refused.stderr


def test_a_server_that_does_not_answer_and_an_empty_folder_are_told(tmp_path: Path, folder: Path) -> None:
    gone = run("http://127.0.0.1:9", str(folder), "--assignment", "1", token="moss_x")
    assert (gone.returncode, "refused" in gone.stderr) == (1, True)
    empty = tmp_path / "empty"
    empty.mkdir()
    nothing = run("http://127.0.0.1:9", str(empty), "--assignment", "1", token="moss_x")
    assert "There is no file in" in nothing.stderr


def test_authorities_of_a_campus_are_trusted(
    encrypted_receiver: Receiver, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = (f"https://localhost:{encrypted_receiver.server_port}", str(folder), "--assignment", "1")
    assert "certificate verify failed" in run(*about, token="moss_x").stderr
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))
    run(*about, token="moss_x")
    assert [one.path for one in encrypted_receiver.received] == ["/api/v1/assignments/1/resumable"]


def begun(archive: Path, *about: str) -> BegunUpload:
    return BegunUpload.of(archive, *(about or ("https://moss.example.org", "/assignments/7", "class")))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.zip").write_bytes(b"archive")
    return tmp_path / "a.zip"


def test_an_id_is_found_for_the_same_archive_and_place_only(archive: Path, tmp_path: Path) -> None:
    assert begun(archive).read() is None
    begun(archive).write(12)
    assert begun(archive).read() == 12
    assert begun(archive, "https://moss.example.org", "/assignments/8", "class").read() is None
    other = tmp_path / "b.zip"
    other.write_bytes(b"another")
    assert begun(other).read() is None
    begun(archive).forget()
    assert begun(archive).read() is None


def test_old_ids_are_deleted_when_one_is_kept(archive: Path, tmp_path: Path) -> None:
    begun(archive).write(12)
    (file,) = (tmp_path / "cache" / "uploads").iterdir()
    os.utime(file, (0, file.stat().st_mtime - KEPT_SECONDS - 1))
    begun(archive, "https://another.example.org").write(13)
    assert begun(archive).read() is None
    assert begun(archive, "https://another.example.org").read() == 13


def test_a_cache_that_is_off_or_cannot_be_written_keeps_nothing(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cache in ("off", str(archive / "no folder")):
        monkeypatch.setenv("MOSS_CACHE", cache)
        begun(archive).write(12)
        assert begun(archive).read() is None
        begun(archive).forget()


def test_a_folder_is_packed_to_the_same_bytes_again(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name in ("b/main.py", "a/main.py", "a/other.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"print({name!r})")
    archives = [tmp_path / "first.zip", tmp_path / "second.zip"]
    assert [pack(folder, archive) for archive in archives] == [3, 3]
    assert archives[0].read_bytes() == archives[1].read_bytes()


class BusyServer(HTTPServer):
    """A server, or a proxy before it, that is busy for some requests, and then answers what came with which key."""

    status = 503
    refused = 2
    of_proxy = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.keys: list[str | None] = []


class Answer(Handler):
    server: BusyServer

    def post(self) -> None:
        self.body()
        self.server.keys.append(self.headers.get("Idempotency-Key"))
        busy = len(self.server.keys) <= self.server.refused
        content = b"<h1>nginx</h1>" if self.server.of_proxy else {"id": 7, "detail": "busy"}
        self.answer(content, self.server.status if busy else 200, Retry_After="0")

    get = do_PATCH = post  # noqa: N815 - the name of the base class

    def do_HEAD(self) -> None:  # noqa: N802 - the name of the base class
        self.send_response(self.server.status)
        self.end_headers()


@pytest.fixture
def busy() -> Iterator[BusyServer]:
    with serving(BusyServer()) as server:
        yield server


def service(busy: BusyServer) -> Service:
    return Service(f"http://127.0.0.1:{busy.server_port}", "a token")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_with_one_key(busy: BusyServer, status: int) -> None:
    busy.status = status
    assert service(busy).post("/courses", {"name": "Sorting"})["id"] == 7
    first, *others = busy.keys
    assert first
    assert others == [first, first]


def test_two_requests_have_two_keys_and_reading_has_none(busy: BusyServer) -> None:
    busy.status = 200
    asked = service(busy)
    asked.post("/courses", {})
    asked.begin("/assignments/1", 3, {"name": "a.zip"})
    asked.get("/courses")
    one, other, none = busy.keys
    assert one
    assert other
    assert (one != other, none) == (True, None)


def test_who_waits_for_a_busy_server_is_told(busy: BusyServer, capsys: pytest.CaptureFixture[str]) -> None:
    service(busy).get("/courses")
    assert capsys.readouterr().err == "The server answered 503: busy. Trying again in 0 s.\n" * 2


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (413, "a proxy before the server takes no body as large as that.*client_max_body_size"),
        (502, "a proxy before the server does not reach it"),
        (503, "a proxy before the server, or the server itself, takes no requests now"),
        (504, "a proxy before the server got no answer in its time.*proxy_read_timeout"),
        (404, "that is not the API of moss"),
    ],
)
def test_the_answer_of_a_proxy_is_told_as_what_it_is(busy: BusyServer, status: int, reason: str) -> None:
    busy.status, busy.of_proxy, busy.refused = status, True, TRIES
    with pytest.raises(ServerRefused, match=f"^The server answered {status}: {reason}"):
        service(busy).post("/courses", {})


def test_a_part_that_a_proxy_or_a_full_disk_refuses_is_told_while_it_is_sent_again(
    busy: BusyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(submitting, "WAITS", (0, 0))
    busy.status, busy.refused = 507, TRIES
    begun = {"id": 7, "offset": 0, "length": 5}
    (tmp_path / "file").write_bytes(b"12345")
    with (tmp_path / "file").open("rb") as file, pytest.raises(ServerRefused, match=r"^The server answered 507"):
        submitting._send_parts(service(busy), begun, file, lambda *_: None)
    assert capsys.readouterr().err.splitlines() == [
        "The server answered 507: busy. Trying again in 0 s.",
        "The server answered 507: it says no more. Trying again in 0 s.",
    ]


def test_an_error_of_the_server_is_told_at_once(busy: BusyServer) -> None:
    busy.status = 500
    with pytest.raises(ServerRefused, match="busy"):
        service(busy).get("/courses")
    assert len(busy.keys) == 1
