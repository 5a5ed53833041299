"""Uploads in parts: they end as an upload at once does, and nothing is stored twice or beyond a limit."""

import itertools
from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moss.operations.maintenance import sweep
from submissions.core.accounts import stored_bytes
from submissions.models import Assignment, AuditEntry, Batch, FileChunk, Membership, ResumableUpload, Upload
from submissions.uploads.change import MOST_BEGUN, begin_resumable
from tests.support.api import API, api_client, problem_of
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing

pytestmark = pytest.mark.services

PART_TYPE = "application/offset+octet-stream"
ARCHIVE = zipped(CLASS).read()


def begin(client: Client, assignment: Assignment, length: int, **headers: str) -> Any:
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    address = f"{API}/assignments/{assignment.pk}/resumable"
    return client.post(address, headers={"Upload-Length": str(length)} | headers)


def metadata(**fields: str) -> str:
    return ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in fields.items())


def send_part(client: Client, address: str, offset: int, data: bytes, **headers: str) -> Any:
    sent = {"Upload-Offset": str(offset)} | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.patch(address, data, headers=sent, CONTENT_TYPE=PART_TYPE)


@pytest.mark.long
@pytest.mark.usefixtures("eager_tasks")
def test_the_parts_of_a_file_become_an_upload_that_is_read_and_ranked(
    caller: Client, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    named = metadata(filename="class.zip", role="class")
    begun = begin(caller, assignment, len(ARCHIVE), Upload_Metadata=named, Tus_Resumable="1.0.0")
    assert (begun.status_code, begun.headers["Upload-Offset"]) == (201, "0")
    address = begun.headers["Location"]
    first = send_part(caller, address, 0, ARCHIVE[:300])
    assert (first.status_code, first.headers["Upload-Offset"]) == (204, "300")
    assert caller.head(address).headers["Upload-Offset"] == "300"
    with django_capture_on_commit_callbacks(execute=True):
        last = send_part(caller, address, 300, ARCHIVE[300:])
    assert (last.status_code, last.headers["Upload-Offset"]) == (204, str(len(ARCHIVE)))
    batch = Batch.objects.get(pk=caller.get(address).json()["upload"])
    assert (batch.name, batch.role, batch.state) == ("class.zip", "class", "done")
    assert assignment.reports.get().pairs.count() > 0
    assert not FileChunk.objects.filter(name__startswith="resumable/").exists()


def test_a_stored_file_has_the_bytes_of_its_parts_wherever_they_are_cut(caller: Client, assignment: Assignment) -> None:
    data = bytes(range(256)) * 10_000
    address = begin(caller, assignment, len(data)).headers["Location"]
    cuts = [0, 1, 700_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 5, 2_200_000, len(data)]
    for start, end in itertools.pairwise(cuts):
        assert send_part(caller, address, start, data[start:end]).status_code == 204
    with default_storage.open(Upload.objects.get().file.name) as stored:
        assert stored.read() == data


def test_a_part_at_another_offset_is_refused_with_the_right_one(caller: Client, assignment: Assignment) -> None:
    address = begin(caller, assignment, 10).headers["Location"]
    send_part(caller, address, 0, b"12345")
    for offset in (0, 4, 6):
        refused = send_part(caller, address, offset, b"x")
        assert (problem_of(refused)["status"], refused.headers["Upload-Offset"]) == (409, "5")
    assert ResumableUpload.objects.get().offset == 5


def test_what_is_too_long_or_of_another_kind_is_refused(caller: Client, assignment: Assignment, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES, settings.MAX_UPLOAD_MB = 1_000_000, 1
    assert "may have 1 MB" in problem_of(begin(caller, assignment, 1_000_001))["detail"]
    assert problem_of(begin(caller, assignment, 0))["status"] == 422
    assert problem_of(begin(caller, assignment, 5, Tus_Resumable="0.2.2"))["status"] == 412
    assert problem_of(begin(caller, assignment, 5, Upload_Metadata="filename %%%"))["status"] == 422
    other = metadata(role="other")
    assert problem_of(begin(caller, assignment, 5, Upload_Metadata=other))["status"] == 422
    address = begin(caller, assignment, 5).headers["Location"]
    assert "has 5 bytes" in problem_of(send_part(caller, address, 0, b"123456"))["detail"]
    plain = caller.patch(address, b"12345", content_type="text/plain", headers={"Upload-Offset": "0"})
    assert problem_of(plain)["status"] == 415
    assert ResumableUpload.objects.get().offset == 0


def test_only_who_began_an_upload_can_add_to_it(caller: Client, assignment: Assignment) -> None:
    address = begin(caller, assignment, 5).headers["Location"]
    colleague = User.objects.create_user("carol")
    membership = Membership.objects.create(course=assignment.course, user=colleague, role="instructor")
    assert problem_of(send_part(api_client(colleague), address, 0, b"12345"))["status"] == 404
    of_colleague = begin(api_client(colleague), assignment, 5).headers["Location"]
    Membership.objects.filter(pk=membership.pk).update(role="observer")
    assert problem_of(send_part(api_client(colleague), of_colleague, 0, b"12345"))["status"] == 403


def test_a_deleted_upload_leaves_nothing(caller: Client, assignment: Assignment) -> None:
    address = begin(caller, assignment, 9).headers["Location"]
    send_part(caller, address, 0, b"12345")
    assert caller.delete(address).status_code == 204
    assert problem_of(caller.get(address))["status"] == 404
    assert FileChunk.objects.count() == 0


@pytest.mark.usefixtures("empty_queues")
def test_what_nobody_continues_is_deleted_after_a_day(caller: Client, assignment: Assignment) -> None:
    old, new = (begin(caller, assignment, 9).headers["Location"] for _ in range(2))
    for address in (old, new):
        send_part(caller, address, 0, b"12345")
    long_ago = timezone.now() - timedelta(hours=25)
    FileChunk.objects.update(stored=long_ago)
    ResumableUpload.objects.filter(pk=caller.get(old).json()["id"]).update(touched=long_ago)
    sweep()
    assert (caller.get(old).status_code, caller.get(new).status_code) == (404, 200)
    assert FileChunk.objects.count() == 1
    assignment.delete()
    sweep()
    assert FileChunk.objects.count() == 0


def test_what_was_begun_counts_whole_until_it_ends(
    caller: Client, alice: User, assignment: Assignment, settings: Any
) -> None:
    settings.STORAGE_BYTES = 1_500
    address = begin(caller, assignment, 1_000).headers["Location"]
    assert stored_bytes(alice) == 1_000
    assert "hold 1 kB of at most 1.5 kB" in problem_of(begin(caller, assignment, 501))["detail"]
    assert send_part(caller, address, 0, b"#" * 1_000).status_code == 204
    assert stored_bytes(alice) == 1_000


def test_an_account_begins_only_so_many_uploads(caller: Client, assignment: Assignment) -> None:
    for _ in range(MOST_BEGUN):
        assert begin(caller, assignment, 5).status_code == 201
    assert "no more are allowed" in problem_of(begin(caller, assignment, 5))["detail"]


def test_an_upload_that_is_refused_at_its_end_ends_later(caller: Client, assignment: Assignment, settings: Any) -> None:
    address = begin(caller, assignment, 5).headers["Location"]
    settings.UPLOADS_AN_HOUR = 0
    assert "uploads in the last hour" in problem_of(send_part(caller, address, 0, b"x = 1"))["detail"]
    assert caller.get(address).json() | {"offset": 5, "upload": None} == caller.get(address).json()
    settings.UPLOADS_AN_HOUR = 10
    assert send_part(caller, address, 5, b"").status_code == 204
    first = caller.get(address).json()["upload"]
    assert send_part(caller, address, 5, b"").status_code == 204
    assert [first] == list(Batch.objects.values_list("pk", flat=True))


def session_client(user: User) -> tuple[Client, dict[str, str]]:
    """Return a client with the session of a user, and the header that a page sends with it."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    client.get("/")
    return client, {"X-CSRFToken": client.cookies["csrftoken"].value}


def test_the_upload_page_sends_parts_with_its_session(alice: User, assignment: Assignment) -> None:
    client, token = session_client(alice)
    begun = begin(client, assignment, 5, **{"Upload-Metadata": metadata(filename="class.zip")}, **token)
    assert begun.status_code == 201
    address = begun.headers["Location"]
    assert send_part(client, address, 0, b"x = 1", **token).status_code == 204
    assert client.get(address).json()["upload"] == Batch.objects.get().pk
    assert AuditEntry.objects.values_list("who", "action", "subject").get() == (
        "alice",
        "uploaded",
        "class.zip",
    )


def test_a_session_without_the_token_of_its_page_is_nobody(alice: User, assignment: Assignment) -> None:
    client, token = session_client(alice)
    assert problem_of(begin(client, assignment, 5))["status"] == 401
    address = begin(client, assignment, 5, **token).headers["Location"]
    assert problem_of(send_part(client, address, 0, b"x = 1"))["status"] == 401
    assert problem_of(client.delete(address))["status"] == 401
    assert ResumableUpload.objects.get().offset == 0


def test_a_session_counts_for_nothing_beside_a_token_and_at_other_addresses(
    alice: User, assignment: Assignment
) -> None:
    client, token = session_client(alice)
    assert problem_of(begin(client, assignment, 5, Authorization="Bearer moss_x", **token))["status"] == 401
    for path in (f"{API}/assignments/{assignment.pk}", f"{API}/courses", f"{API}/assignments/1/uploads"):
        assert problem_of(client.get(path, headers=token))["status"] == 401
        assert problem_of(client.post(path, headers=token))["status"] in {401, 405}


def test_only_who_began_an_upload_deletes_it_on_the_page(alice: User, assignment: Assignment) -> None:
    colleague = User.objects.create_user("carol")
    Membership.objects.create(course=assignment.course, user=colleague, role="instructor")
    begun = begin_resumable(assignment, alice, "class.zip", 5)
    address = reverse("delete_unfinished", args=[begun.pk])
    client = Client()
    client.force_login(colleague)
    assert client.post(address).status_code == 404
    client.force_login(alice)
    assert client.get(address).status_code == 405
    assert client.post(address).status_code == 302
    assert not ResumableUpload.objects.exists()
