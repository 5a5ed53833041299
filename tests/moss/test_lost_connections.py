"""Uploads in parts over connections that are lost, with a real server."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from moss.commands import submit as sending
from moss.commands.submit import BegunUpload, Service
from submissions.models import Assignment, Batch, ResumableUpload, Upload
from tests.conftest import wait_until
from tests.support.api import secret_of
from tests.support.cutting_proxy import cutting_proxy
from tests.support.web_server import web_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queues")]
MIB = 1 << 20
DATA = os.urandom(5 * MIB + 12_345)


def wait_for_offset(least: int) -> int:
    """Return how much has arrived once that is `least` bytes and does not grow any more."""
    before = -1
    for _ in range(200):
        offset = ResumableUpload.objects.get().offset
        if offset >= least and offset == before:
            return offset
        before = offset
        time.sleep(0.1)
    raise AssertionError(f"{before} bytes arrived")


def stored() -> bytes:
    with default_storage.open(Upload.objects.get().file.name) as file:
        return bytes(file.read())


@pytest.mark.long
def test_what_arrived_before_the_connection_was_lost_is_kept(alice: User, assignment: Assignment) -> None:
    with web_server() as port:
        service = Service(f"http://localhost:{port}", secret_of(alice))
        upload = service.begin(f"/assignments/{assignment.pk}", len(DATA), {"filename": "a.zip"})
        head = (
            f"PATCH /api/v1/resumable/{upload} HTTP/1.1\r\nHost: localhost\r\nUpload-Offset: 0\r\n"
            f"Authorization: Bearer {service.token}\r\nContent-Length: {len(DATA)}\r\n"
            "Content-Type: application/offset+octet-stream\r\n\r\n"
        )
        with socket.create_connection(("localhost", port)) as connection:
            connection.sendall(head.encode() + DATA[: 3 * MIB + 10])
        arrived = wait_for_offset(3 * MIB)
        assert arrived == service.offset(upload)
        assert 3 * MIB <= arrived <= 3 * MIB + 10
        assert service.send_part(upload, arrived, DATA[arrived:]) == len(DATA)
    assert stored() == DATA


@pytest.mark.long
def test_two_that_send_the_same_part_at_once_store_it_once(alice: User, assignment: Assignment) -> None:
    with web_server("--threads=4") as port:
        service = Service(f"http://localhost:{port}", secret_of(alice))
        upload = service.begin(f"/assignments/{assignment.pk}", len(DATA), {"filename": "a.zip"})

        def send() -> None:
            # The one that comes too late is refused, or its connection is closed while it still sends.
            with suppress(OSError):
                service.send_part(upload, 0, DATA)

        both = [threading.Thread(target=send) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join()
        arrived = service.offset(upload)
        while arrived < len(DATA):
            arrived = service.send_part(upload, arrived, DATA[arrived:])
    assert stored() == DATA
    assert Batch.objects.count() == 1


def test_a_file_arrives_whole_although_the_connection_is_lost_twice(
    alice: User, assignment: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "WAITS", (0.1,) * 50)
    file, seen = tmp_path / "class.zip", list[tuple[int, int]]()
    file.write_bytes(DATA)

    def note(_stage: str, done: int, total: int) -> None:
        seen.append((done, total))

    with web_server() as server, cutting_proxy(server, 10_000, 2 * MIB + 99, 10_000, 1_500_000) as proxy:
        service = Service(f"http://localhost:{proxy.port}", secret_of(alice))
        sent: Any = sending.send_file(
            service,
            f"/assignments/{assignment.pk}",
            file,
            {"filename": "class.zip"},
            progress=note,
            begun=BegunUpload(None),
        )
    assert sent["name"] == "class.zip"
    assert stored() == DATA
    assert {total for _, total in seen} == {len(DATA)}
    # What the server still reads of a lost connection may make a further part come too early.
    begun = [done for done, _ in seen]
    assert begun == sorted(begun)
    assert len(begun) >= 3


def submit(port: int, assignment: Assignment, folder: Path, token: str, cache: Path) -> subprocess.Popen[str]:
    """Start `moss submit` as a program."""
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "moss", "submit", f"http://localhost:{port}", str(folder)),
            *("--assignment", str(assignment.pk)),
        ],
        env={**os.environ, "MOSS_TOKEN": token, "MOSS_CACHE": str(cache)},
        cwd=settings.BASE_DIR,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
@pytest.mark.slow
def test_a_command_that_was_killed_goes_on_where_it_was(alice: User, assignment: Assignment, tmp_path: Path) -> None:
    folder, cache, token = tmp_path / "class", tmp_path / "cache", secret_of(alice)
    folder.mkdir()
    (folder / "data.bin").write_bytes(os.urandom(20 * MIB))
    with web_server("--threads=4") as server, cutting_proxy(server) as proxy:
        command = submit(proxy.port, assignment, folder, token, cache)
        while proxy.sent < 12 * MIB:
            time.sleep(0.01)
        command.kill()
        command.communicate()
        arrived, sent = wait_for_offset(8 * MIB), proxy.sent
        again = submit(proxy.port, assignment, folder, token, cache)
        while not Batch.objects.exists():
            assert again.poll() is None, again.communicate()
            time.sleep(0.05)
        again.kill()
        again.communicate()
        # The headers of some requests and answers come besides.
        assert proxy.sent - sent < 20 * MIB - arrived + 100_000
        # A third command waits for the same upload, and sends nothing of it. Where this process has a worker
        # for other tests, it may have read the upload already, and found no source file.
        sent, third = proxy.sent, submit(proxy.port, assignment, folder, token, cache)
        wait_until(lambda: third.poll() is not None or proxy.sent > sent + 1_000, what="a question")
        third.kill()
        _, errors = third.communicate()
        assert proxy.sent < sent + 100_000
        assert third.returncode == -signal.SIGKILL or "No entry of this upload could be used" in errors
    assert ResumableUpload.objects.count() == Batch.objects.count() == 1
    assert Upload.objects.get().file.size > 20 * MIB
