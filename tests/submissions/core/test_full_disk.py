"""A full disk: nothing is half stored, everybody is told, and work goes on when there is room again."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import OperationalError
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.core.database import NO_ROOM, WAITS_FOR_ROOM
from submissions.models import (
    Assignment,
    Batch,
    BoilerplateUpload,
    Document,
    FileChunk,
    Job,
    Report,
    Source,
    Upload,
)
from submissions.uploads.change import add_boilerplate, create_batch, rerank
from submissions.work import jobs
from submissions.work.jobs import kind_of
from submissions.work.kinds import INTERACTIVE, MAX_ATTEMPTS
from tests.support.html import page_of
from tests.support.jobs import carry_out, let_time_pass, work_off, work_once
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.small_disks import fill, move_emptied

pytestmark = pytest.mark.usefixtures("empty_queues")


def send(client: Client, assignment: Assignment, name: str = "upload", size: int = 1_500_000) -> HttpResponseBase:
    client.raise_request_exception = False
    files = [loose("a.py", b"x" * size), loose("b.py", b"y" * size)]
    return client.post(reverse(name, args=[assignment.pk]), {"files": files})


def assert_refused_without_a_trace(response: HttpResponseBase) -> None:
    assert response.status_code == 507
    page = page_of(response)
    assert page.text("h1") == "The server's disk is full"
    assert "Nothing was stored. Ask the administrator of this server to free space" in page.text()
    assert not Batch.objects.exists()
    assert not BoilerplateUpload.objects.exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("name", ["upload", "add_boilerplate"])
def test_an_upload_for_which_the_folder_of_uploads_has_no_room_is_refused_whole(
    name: str, small_disk: Path, alice_client: Client, assignment: Assignment, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue("folder_storage")
    folder.symlink_to(small_disk)
    assert_refused_without_a_trace(send(alice_client, assignment, name))
    assert default_storage.listdir("uploads")[1] == []
    assert send(alice_client, assignment, name, 500_000).status_code == 302


@pytest.mark.parametrize("name", ["upload", "add_boilerplate"])
def test_an_upload_for_which_the_database_has_no_room_for_its_files_is_refused_whole(
    name: str, small_tablespace: Path, alice_client: Client, assignment: Assignment
) -> None:
    move_emptied("submissions_filechunk")
    filled = fill(small_tablespace)
    assert_refused_without_a_trace(send(alice_client, assignment, name))
    assert not FileChunk.objects.exists()
    filled.unlink()
    assert send(alice_client, assignment, name, 300_000).status_code == 302


def test_an_upload_for_which_the_temporary_folder_has_no_room_is_refused_whole(
    small_disk: Path, alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = small_disk
    assert_refused_without_a_trace(send(alice_client, assignment, size=3_000_000))
    assert list(small_disk.iterdir()) == []


def test_an_upload_for_which_the_database_has_no_room_is_refused_whole(
    small_tablespace: Path, alice_client: Client, assignment: Assignment
) -> None:
    move_emptied("submissions_upload")
    filled = fill(small_tablespace)
    assert_refused_without_a_trace(send(alice_client, assignment))
    assert default_storage.listdir("uploads")[1] == []
    filled.unlink()
    assert send(alice_client, assignment).status_code == 302


def test_a_worker_without_room_for_unpacking_tries_again_and_then_says_why(
    small_tablespace: Path, assignment: Assignment, alice: User, eager_tasks: None
) -> None:
    batch, later = (create_batch(assignment, alice, [zipped(CLASS)]) for _ in range(2))
    waiting = Job.objects.filter(kind="unpack", subject=later.pk)
    waiting.update(due=timezone.now() + timedelta(days=9))
    move_emptied("submissions_source")
    filled = fill(small_tablespace)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        with pytest.raises(OperationalError, match="could not extend"):
            work_once("unpack")
        batch.refresh_from_db()
        assert (batch.state, batch.message) == ("queued", WAITS_FOR_ROOM)
        assert Job.objects.get(kind="unpack", subject=batch.pk).attempts == attempt
        Job.objects.filter(subject=batch.pk).update(due=timezone.now())
    work_once("unpack")
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("failed", NO_ROOM)
    filled.unlink()
    waiting.update(due=timezone.now())
    work_once("unpack")
    work_off("read_documents")
    later.refresh_from_db()
    assert (later.state, later.message) == ("ranking", "")
    assert not later.entries.filter(accepted=False).exists()


def test_a_full_database_blames_no_file(small_tablespace: Path, assignment: Assignment, alice: User) -> None:
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    work_once("unpack")
    move_emptied("submissions_postingblock")
    filled = fill(small_tablespace)
    for _ in range(3):
        let_time_pass()
        with pytest.raises(OperationalError, match="could not extend"):
            work_once("read_documents")
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("fingerprinting", WAITS_FOR_ROOM)
    filled.unlink()
    let_time_pass()
    work_off("read_documents")
    assert set(Document.objects.values_list("state", "reason")) == {("ready", "")}
    batch.refresh_from_db()
    assert batch.state == "ranking"


def test_a_batch_never_read_for_lack_of_room_fails_with_why(assignment: Assignment, alice: User) -> None:
    batch = create_batch(assignment, alice, [zipped({"ada/m.py": STARTER})])
    work_once("unpack")
    kind = kind_of("read_documents")
    for _ in range(2 * MAX_ATTEMPTS):
        let_time_pass()
        job = jobs.claim(kind, INTERACTIVE)
        assert job
        jobs.wait_for_room(job)
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("failed", NO_ROOM)
    assert Job.objects.get(kind=kind.name).state == "failed"


def test_boilerplate_waits_for_room_and_then_says_why(small_tablespace: Path, assignment: Assignment) -> None:
    upload = add_boilerplate(assignment, [loose("starter.py", STARTER)])
    move_emptied("submissions_source")
    fill(small_tablespace)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(OperationalError, match="could not extend"):
            carry_out("read_boilerplate", upload.pk)
        upload.refresh_from_db()
        assert (upload.state, upload.message) == ("queued", WAITS_FOR_ROOM)
        let_time_pass()
    carry_out("read_boilerplate", upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.message) == ("failed", NO_ROOM)
    assert not Source.objects.exists()


def test_a_ranking_waits_for_room_and_is_done_when_there_is_some(
    small_tablespace: Path, report: Report, eager_tasks: None
) -> None:
    waiting = rerank(report.assignment)
    move_emptied("submissions_pair")
    filled = fill(small_tablespace)
    Report.objects.filter(pk=waiting.pk).update(state="queued")
    with pytest.raises(OperationalError, match="could not extend"):
        work_off("rank")
    waiting.refresh_from_db()
    assert (waiting.state, waiting.message) == ("queued", WAITS_FOR_ROOM)
    filled.unlink()
    let_time_pass("rank")
    work_off("rank")
    waiting.refresh_from_db()
    assert (waiting.state, waiting.message) == ("done", "")
