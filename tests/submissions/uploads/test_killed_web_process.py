"""A web process that is killed during an upload leaves a temporary file, which maintenance deletes later."""

import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.operations import maintenance
from submissions.models import Assignment, Course
from tests.conftest import wait_until
from tests.support.processes import every_process, kill, open_files
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

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
def test_a_temporary_file_of_a_killed_web_process_is_deleted_once_it_is_old(
    alice: User, alice_client: Client, folder: Path
) -> None:
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
