"""Files and records that break or delay their reader cost one file; the rest of the upload goes on."""

import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from fingerprint.languages.detection import AMBIGUOUS
from fingerprint.reading import Unreadable, identify
from moss.operations import maintenance
from submissions.intake.entries import Entry
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.process import NotStarted
from submissions.models import Assignment, Boilerplate, Course, Document, SubmissionFile
from submissions.uploads.change import add_boilerplate
from tests.conftest import wait_until
from tests.support.html import get_page
from tests.support.jobs import carry_out
from tests.support.long_rows import rest_is_long
from tests.support.notebooks import notebook_of, notebook_with, wrong_notebooks
from tests.support.processes import every_process, kill, open_files
from tests.support.sample_class import CLASS, HONEST, loose, zipped
from tests.support.uploads import HandIn
from tests.support.web_server import web_server

# The reason of nbformat repeats this version: a NUL, and half of a surrogate pair.
UNSTORABLE = notebook_with(nbformat="4\0\ud800")


def test_notebooks_with_any_field_of_any_wrong_type_cost_nobody_else(hand_in: HandIn) -> None:
    notebooks = wrong_notebooks()
    batch = hand_in(zipped({**CLASS, **notebooks}))
    assert batch.state == "done"
    refused = {entry.name: entry.reason for entry in batch.entries.filter(accepted=False)}
    assert all(refused.values())
    assert refused.keys() <= notebooks.keys()
    assert batch.entries.filter(accepted=True, name__in=CLASS).count() == len(CLASS)
    assert not Document.objects.filter(state="pending").exists()
    assert all(Document.objects.filter(state="failed").values_list("reason", flat=True))
    assert {"ada", "ben"} <= set(batch.assignment.reports.get().submissions.values_list("name", flat=True))


def deep(start: str, end: str, value: str = '"value"') -> str:
    return start * 100_000 + value + end * 100_000


def test_files_of_any_depth_are_read_or_refused_alone(hand_in: HandIn) -> None:
    files = {
        "list.json": deep("[", "]"), "object.json": deep('{"a":', "}"), "page.html": deep("<div>", "</div>"),
        "pasted.html": deep("<pre>", "</pre>", "x = f(1)"), "open.html": deep("<p>", ""),
        "a.xml": deep("<a>", "</a>"),
        "work.ipynb": '{"cells":' + deep("[", "]") + "}", "onlinetext.html": deep("<p><span>", "</span></p>"),
    }  # fmt: skip
    batch = hand_in(zipped({**CLASS, **{f"carl/{name}": text for name, text in files.items()}}))
    assert batch.state == "done"
    assert not Document.objects.filter(state="pending").exists()
    failed = Document.objects.filter(state="failed")
    refused = SubmissionFile.objects.filter(document__in=failed).values_list("path", "document__reason")
    assert {path.rpartition("/")[2] for path, reason in refused if reason} <= {"work.ipynb"}
    entries = batch.entries.filter(name__startswith="carl/", accepted=False)
    assert all(entries.values_list("reason", flat=True))
    names = batch.assignment.reports.get().submissions.values_list("name", flat=True)
    assert {path.partition("/")[0] for path in CLASS} <= set(names)


@pytest.mark.long
def test_of_a_broken_notebook_a_reason_is_short_and_shows_what_postgres_cannot_store(hand_in: HandIn) -> None:
    usable: list[dict[str, object]] = [
        {"metadata": {}},
        {"nbformat_minor": None},
        {"metadata": {"kernelspec": None}},
    ]
    notebooks = {f"n{n}/work.ipynb": notebook_with(**fields) for n, fields in enumerate(usable)}
    long = notebook_with(nbformat="4" * 1_000_000)
    batch = hand_in(zipped(CLASS | notebooks | {"dora/work.ipynb": UNSTORABLE, "emil/work.ipynb": long}))
    assert "4\ufffd\ufffd" in batch.entries.get(name="dora/work.ipynb").reason
    reason = batch.entries.get(name="emil/work.ipynb").reason
    assert len(reason) < 1000
    assert reason.endswith("…")
    assert batch.entries.filter(name__in=notebooks, accepted=True).count() == len(notebooks)


@pytest.mark.long
def test_characters_that_are_no_text_are_replaced_in_cells(alice_client: Client, hand_in: HandIn) -> None:
    copied = HONEST + "\nmarker = '\0\ud800'\n"
    batch = hand_in(zipped({"ada/a.py": HONEST, "dora/work.ipynb": notebook_of(copied)}))
    pair = batch.assignment.reports.get().pairs.get()
    page = get_page(alice_client, reverse("pair", args=[batch.assignment_id, pair.left_id, pair.right_id]))
    assert "marker = '\ufffd\ufffd'" in page.text()


@pytest.mark.long
@pytest.mark.parametrize("content", [UNSTORABLE, notebook_with(cells=None), notebook_with(nbformat=[])])
def test_a_broken_notebook_as_boilerplate_is_refused_on_the_page(
    alice_client: Client, assignment: Assignment, content: bytes
) -> None:
    upload = add_boilerplate(assignment, [loose("work.ipynb", content), loose("starter.py", HONEST)])
    carry_out("read_boilerplate", upload.pk)
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#boilerplate .notice .path") == "work.ipynb"
    assert page.text("#boilerplate .notice .meta").startswith("it is")
    assert list(Boilerplate.objects.values_list("name", flat=True)) == ["starter.py"]


@pytest.mark.parametrize("error", [MemoryError, SoftTimeLimitExceeded, NotStarted])
def test_the_end_of_the_memory_or_time_of_a_worker_is_no_fault_of_the_file(
    db: None, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def identify(*_: object) -> None:
        raise error

    monkeypatch.setattr(DocumentReader, "identify", identify)
    with pytest.raises(error):
        identify([Entry("a.py", len(b"x = 1\n"), data=b"x = 1\n")], "")


# A pattern that takes years to find out that it does not match this text.
SLOW_PATTERN, SLOW_TEXT = r"^(?:a|aa)+$", "a" * 200 + "!\n"


@pytest.fixture
def slow_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AMBIGUOUS, ".h", ((SLOW_PATTERN, "c"),))


def test_finding_out_a_language_ends_at_the_time_limit(slow_pattern: None) -> None:
    with pytest.raises(Unreadable, match=r"finding out its language took longer than 0\.2 s"):
        identify(SLOW_TEXT.encode(), "x.h", seconds=0.2)


@pytest.mark.timeout(60)
def test_a_too_slow_file_of_an_upload_is_refused_and_the_others_are_ranked(
    hand_in: HandIn, harmful_reader: None, settings: Settings
) -> None:
    settings.FILE_SECONDS = 2
    batch = hand_in(zipped({"slow/x.h": "// harm: match\n", **CLASS}))
    assert batch.state == "done"
    refused = batch.entries.get(accepted=False)
    assert (refused.name, refused.reason) == ("slow/x.h", "finding out its language took longer than 2 s")
    assert batch.submissions.count() == len(CLASS)


TOKEN = "a" * 32


SENT = 6_000_000


def unfinished_upload(assignment: Assignment, session: str) -> bytes:
    """Return the first part of a request that uploads ten times as much."""
    body = b'--b\r\nContent-Disposition: form-data; name="files"; filename="class.zip"\r\n\r\n' + bytes(SENT)
    head = (
        f"POST {reverse('upload', args=[assignment.pk])} HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: sessionid={session}; csrftoken={TOKEN}\r\nX-CSRFToken: {TOKEN}\r\n"
        f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {10 * SENT}\r\n\r\n"
    )
    return head.encode() + body


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """Return the folder of temporary files, with a file that Django did not make."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    (tmp_path / "other.upload").write_bytes(b"not a name that Django gives")
    return tmp_path


def assert_deleted_once_old(file: Path) -> None:
    maintenance.sweep()
    assert file.exists()  # an upload that is still sent is as young
    old = (timezone.now() - maintenance.SOURCE_GRACE_PERIOD - timedelta(seconds=1)).timestamp()
    os.utime(file, (old, old))
    maintenance.sweep()
    assert [path.name for path in file.parent.glob("*.upload*")] == ["other.upload"]


def test_a_temporary_file_of_a_large_upload_is_deleted_once_it_is_old(folder: Path, db: None) -> None:
    upload = TemporaryUploadedFile("class.zip", "application/zip", 0, None)
    assert_deleted_once_old(Path(upload.temporary_file_path()))
    upload.close()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_an_old_file_of_a_killed_process_is_deleted(alice: User, alice_client: Client, folder: Path) -> None:
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    request = unfinished_upload(assignment, alice_client.cookies["sessionid"].value)
    with web_server(TMPDIR=str(folder)) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(request)
        wait_until(lambda: any(folder.glob("tmp*.upload.zip")), what="the temporary file")
        (left,) = folder.glob("tmp*.upload.zip")
        [web] = [pid for pid in every_process() if str(left) in open_files(pid)]
        kill([web])
        wait_until(lambda: str(left) not in open_files(web), what="the end of the web process")
    assert_deleted_once_old(left)


@pytest.mark.long
@pytest.mark.parametrize(
    ("harm", "reason"),
    rest_is_long(
        [
            ("fail", "the lexer failed (KeyError)"),
            ("allocate", "reading it as python takes more memory than the 1 GB that it may use"),
            ("crash", "reading it as python ended the program that reads files, twice (SIGSEGV)"),
        ]
    ),
)
def test_a_file_that_harms_its_reader_fails_alone(
    hand_in: HandIn, harmful_reader: None, harm: str, reason: str
) -> None:
    batch = hand_in(zipped({**CLASS, "dora/main.py": f"# harm: {harm}\n"}))
    assert batch.state == "done"
    failed = Document.objects.get(state="failed")
    assert (failed.files.get().submission.name, failed.reason) == ("dora", reason)
    assert Document.objects.filter(state="ready").count() == len(CLASS)
    pair = batch.assignment.reports.get().pairs.all()[0]
    assert {pair.left.name, pair.right.name} == {"ada", "ben"}
