"""The files of pushed submissions: fetched within limits, checked, and fetched again later."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from moss.integrations.lti import pushed as fetching, requests_out
from moss.integrations.lti.models import PushedFile, PushedSubmission
from moss.integrations.lti.pushed import WAITS
from submissions.models import Job
from tests.support.jobs import carry_out, due_in
from tests.support.platform import PlatformServer
from tests.support.pushed import CODE

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from tests.support.pushed import Pusher

pytestmark = pytest.mark.services

State, Problem = PushedSubmission.State, PushedSubmission.Problem


def fetched(row: PushedSubmission) -> PushedSubmission:
    """Make the attempt to fetch a submission that is due; return it as it is then."""
    carry_out("fetch_submission", row.pk)
    row.refresh_from_db()
    return row


def test_the_files_of_a_submission_are_fetched_with_a_token_for_files(pusher: Pusher) -> None:
    row = fetched(pusher.push(1, pusher.asset("main.py"), pusher.asset("a/main.py", b"other")))
    assert (row.state, row.problem) == (State.FETCHED, "")
    files = [(one.name, bytes(one.data)) for one in row.files.order_by("pk")]
    assert files == [("main.py", CODE), ("2 main.py", b"other")]
    assert pusher.lms.server.asked[-3:] == ["/token", "/files/main.py", "/files/a/main.py"]


def test_a_text_that_was_typed_in_gets_the_suffix_of_its_type(pusher: Pusher) -> None:
    asset = pusher.asset("text", b"<p>hello</p>", filename=None, title="Sheet 1", content_type="text/html")
    assert fetched(pusher.push(1, asset)).files.get().name == "Sheet 1.html"


def test_a_checksum_may_be_in_hexadecimal_digits_and_a_size_may_be_missing(pusher: Pusher) -> None:
    asset = pusher.asset("main.py", sha256_checksum=sha256(CODE).hexdigest().upper(), size=None)
    row = fetched(pusher.push(1, asset))
    assert (row.state, row.assets[0]["size"]) == (State.FETCHED, len(CODE))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"sha256_checksum": "cy5X2xVgjbMETnEFhDQvRMWfodOxsI51YpYNCtxjZig="}, Problem.OTHER_BYTES),
        ({"sha256_checksum": "no checksum"}, Problem.OTHER_BYTES),
        ({"size": 1}, Problem.OTHER_BYTES),
        ({"size": 10_000}, Problem.OTHER_BYTES),
        ({"url": "https://elsewhere.example/main.py"}, Problem.HOST),
        ({"url": ""}, Problem.HOST),
    ],
)
def test_what_is_not_the_file_that_was_named_is_refused(
    changes: dict[str, Any], problem: str, pusher: Pusher
) -> None:
    row = fetched(pusher.push(1, pusher.asset("main.py", **changes)))
    assert (row.state, row.problem) == (State.FAILED, problem)
    assert not row.files.exists()


@pytest.mark.parametrize("status", [404, 410])
def test_a_file_that_is_gone_is_not_asked_for_again(status: int, pusher: Pusher) -> None:
    asset = pusher.asset("main.py")
    pusher.lms.server.files["/files/main.py"] = status
    row = fetched(pusher.push(1, asset))
    assert (row.state, row.problem, row.detail) == (State.FAILED, Problem.GONE, "main.py")


def test_a_submission_without_files_fails(pusher: Pusher) -> None:
    assert fetched(pusher.push(1)).problem == Problem.NOTHING


def test_a_file_that_is_larger_than_is_taken_is_not_read_to_its_end(
    pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "LARGEST_FILE", 100)
    for student, size in ((1, len(CODE)), (2, None)):
        row = fetched(pusher.push(student, pusher.asset("main.py", size=size)))
        assert (row.problem, row.detail) == (Problem.TOO_LARGE, "main.py (100 bytes)")
    # The first one is refused by the size that the platform names.
    assert pusher.lms.server.asked.count("/files/main.py") == 1


def test_a_submission_that_was_erased_while_it_was_fetched_is_not_stored(
    pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = pusher.push(1, pusher.asset("main.py"))

    def erase_and_get(*arguments: Any) -> bytes:
        PushedSubmission.objects.all().delete()
        return requests_out.get_file(*arguments)

    monkeypatch.setattr(fetching, "get_file", erase_and_get)
    carry_out("fetch_submission", row.pk)
    assert not PushedFile.objects.exists()


def test_the_files_of_a_submission_are_together_no_larger_than_an_upload(
    pusher: Pusher, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = len(CODE) + 10
    row = fetched(pusher.push(1, pusher.asset("main.py"), pusher.asset("more.py")))
    assert (row.problem, row.detail) == (Problem.TOO_LARGE, "more.py (10 bytes)")


def test_a_redirect_is_followed_to_stored_hosts_only_and_takes_no_token_there(pusher: Pusher) -> None:
    asset, files = pusher.asset("main.py"), pusher.lms.server.files
    with PlatformServer() as other:
        store = f"http://127.0.0.1:{other.server_port}"
        files["/files/main.py"] = f"{store}/files/stored"
        row = fetched(pusher.push(1, asset))
        assert (row.problem, row.detail) == (Problem.HOST, store)
    files["/files/main.py"], files["/files/stored"] = "/files/stored", CODE
    assert fetched(pusher.push(2, asset)).state == State.FETCHED
    localhost = pusher.lms.url.replace("127.0.0.1", "localhost")
    pusher.lms.row.service_urls = localhost
    pusher.lms.row.save()
    files["/files/main.py"] = f"{localhost}/files/stored"
    row = fetched(pusher.push(3, asset))
    assert (row.state, row.problem) == (State.WAITING, Problem.NO_ANSWER)  # 401: there without a token


def test_redirects_in_a_circle_end(pusher: Pusher) -> None:
    asset = pusher.asset("main.py")
    pusher.lms.server.files["/files/main.py"] = "/files/main.py"
    assert fetched(pusher.push(1, asset)).problem == Problem.NO_ANSWER
    asked = pusher.lms.server.asked.count("/files/main.py")
    assert asked == requests_out.MOST_REDIRECTS + 1


def test_a_platform_that_is_down_is_asked_again_and_again_but_not_for_ever(pusher: Pusher) -> None:
    asset = pusher.asset("main.py")
    pusher.lms.server.files["/files/main.py"] = 503
    row, waits = pusher.push(1, asset), []
    while row.state == State.WAITING:
        assert fetched(row).problem == Problem.NO_ANSWER
        waits.append(due_in("fetch_submission", row.pk))
    assert waits == [*WAITS, None]
    assert timedelta(days=1) < sum(WAITS, timedelta()) < timedelta(days=2)
    assert row.state == State.FAILED


def test_a_platform_that_gives_no_token_is_asked_again(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"))
    pusher.lms.row.client_id = "another"
    pusher.lms.row.save()
    assert (fetched(row).state, row.problem) == (State.WAITING, Problem.NO_ANSWER)


def test_two_messages_for_one_attempt_fetch_it_once(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"))
    for _ in range(2):
        carry_out("fetch_submission", row.pk)
    assert pusher.lms.server.asked.count("/files/main.py") == 1


def test_a_submission_that_ends_its_workers_fails(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"))
    Job.objects.update(attempts=len(WAITS) + 1)
    assert (fetched(row).state, row.problem) == (State.FAILED, Problem.NO_ANSWER)
