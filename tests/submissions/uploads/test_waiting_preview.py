"""A preview that is not there yet: the page asks for it again; no request waits for what students wrote."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.intake.sentences import NOT_READ_YET
from submissions.models import Assignment, Batch, ListedEntry
from submissions.uploads.read import LATER, SLOTS, WAIT_SECONDS, NotYet
from tests.support.api import api_client, send
from tests.support.html import get_page, page_of
from tests.support.previews import Upload, group
from tests.support.sample_class import CLASS, loose
from tests.support.web_server import read_answer, web_server

PATIENCE = 60.0
PENDING = "The preview is being prepared"
# Previews that take as long as their child may; the server of the test has fewer threads.
HOSTILE, THREADS = 8, 6


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer nobody who asks for the first time, and let nobody wait."""
    ask = LATER._ask

    def asked(*question: Any) -> NoReturn:
        ask(*question)
        raise NotYet

    monkeypatch.setattr(LATER, "_ask", asked)
    monkeypatch.setattr(LATER, "seconds", 0.0)


def _until_there(client: Client, address: str) -> HttpResponse:
    end = time.monotonic() + PATIENCE
    while True:
        response = client.get(address, headers={"HX-Request": "true"})
        if response.status_code != 204 or time.monotonic() > end:
            return response  # type: ignore[return-value]
        time.sleep(0.05)


@pytest.mark.usefixtures("eager_tasks", "impatient")
def test_the_page_says_that_it_waits_for_a_preview(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading") == PENDING
    address = reverse("batch_preview", args=[batch.pk])
    assert page.values("#preview", "hx-get") == [address]
    assert page.all("noscript meta[http-equiv=refresh]")
    assert batch.get_absolute_url() in page.values("#preview a", "href")
    there = page_of(_until_there(alice_client, address))
    assert there.text("#preview-heading").startswith("3 submissions found")
    assert there.values("#preview", "hx-get") == [""]
    again = get_page(alice_client, batch.get_absolute_url())
    assert again.text("#preview-heading") == there.text("#preview-heading")
    assert not again.all("noscript meta[http-equiv=refresh]")
    chosen = page_of(group(alice_client, batch, old=["ada"], new=["Ada Byron"]))
    assert chosen.text("#preview-heading") == PENDING
    there = page_of(_until_there(alice_client, address))
    assert there.values("input[name=new]", "value") == ["Ada Byron", "ben", "cleo"]


@pytest.mark.usefixtures("eager_tasks", "impatient")
def test_the_api_says_that_the_preview_is_being_computed(alice: User, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    caller, address = api_client(alice), f"/uploads/{batch.pk}/preview"
    answer = send(caller, "get", address)
    assert (answer.status_code, answer.json()) == (202, {"state": "computing"})
    end = time.monotonic() + PATIENCE
    while answer.status_code == 202 and time.monotonic() < end:
        time.sleep(0.05)
        answer = send(caller, "get", address)
    assert [one["name"] for one in answer.json()["submissions"]] == ["ada", "ben", "cleo"]


@pytest.mark.usefixtures("impatient")
def test_a_roster_that_is_not_read_in_time_is_refused_and_read_when_it_is_chosen_again(
    alice_client: Client, assignment: Assignment
) -> None:
    address = reverse("roster", args=[assignment.course_id])
    data = b"Name;Id\nAda Byron;%d\n" % time.time_ns()
    refused = alice_client.post(address, {"file": loose("class.csv", data)})
    assert NOT_READ_YET in page_of(refused).text("body")
    end = time.monotonic() + PATIENCE
    while not hasattr(assignment.course, "roster") and time.monotonic() < end:
        alice_client.post(address, {"file": loose("class.csv", data)})
        assignment.course.refresh_from_db()
    assert assignment.course.roster.students.count() == 1


@pytest.fixture
def hostile_batches(transactional_db: None, assignment: Assignment) -> list[Batch]:
    batches = [
        assignment.batches.create(name=f"{n}.zip", preview=True, state=Batch.State.LISTED, since=timezone.now())
        for n in range(HOSTILE)
    ]
    for batch in batches:
        ListedEntry.objects.create(batch=batch, name="harm: sleep/a.py", size=9, digest=b"1234", language="python")
    return batches


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_web_process_answers_others_while_more_hostile_previews_than_it_has_threads_are_asked_for(
    hostile_batches: list[Batch], alice_client: Client
) -> None:
    cookies = f"{settings.SESSION_COOKIE_NAME}={alice_client.cookies[settings.SESSION_COOKIE_NAME].value}"
    with (
        web_server(f"--threads={THREADS}", "tests.support.harmful_wsgi:application") as port,
        ThreadPoolExecutor(HOSTILE) as pool,
    ):
        assert _timed(port, "/healthz", cookies)[1] == 200
        pages = [pool.submit(_timed, port, one.get_absolute_url(), cookies) for one in hostile_batches]
        for _ in range(10):
            for path in ("/healthz", hostile_batches[0].assignment.get_absolute_url()):
                seconds, status, _ = _timed(port, path, cookies)
                assert status == 200
                assert seconds < WAIT_SECONDS / 2, path
        answers = [page.result() for page in pages]
    assert all(PENDING in text for _, _, text in answers)
    assert max(seconds for seconds, _, _ in answers) < 2 * WAIT_SECONDS
    assert sum(seconds > WAIT_SECONDS for seconds, _, _ in answers) == SLOTS


def _timed(port: int, path: str, cookies: str) -> tuple[float, int, str]:
    start = time.monotonic()
    status, text = read_answer(port, path, Cookie=cookies)
    return time.monotonic() - start, status, text
