"""One link has so many requests answered at once that others are answered too."""

from concurrent.futures import ThreadPoolExecutor
from gc import collect
from threading import Event

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django.fixtures import Settings

from submissions.pages import requests
from submissions.pages.requests import ReadersPlaces
from tests.conftest import wait_until


def end(response: HttpResponse) -> None:
    """Close an answer, without the signal at which Django closes connections to the database."""
    for close in response._resource_closers:  # type: ignore[attr-defined]
        close()


class SlowPages:
    """Pages that are answered once `end` is set; `number` counts those that wait for it."""

    def __init__(self) -> None:
        self.end = Event()
        self.number = 0
        self.places = ReadersPlaces(self._answer)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        account = request.COOKIES.get("sessionid")
        request.user = User(pk=int(account)) if account else AnonymousUser()
        refused = self.places.process_view(request, None, (), {"token": request.GET.get("token", "")})
        if refused:
            return refused
        if not request.GET.get("quick"):
            self.number += 1
            self.end.wait(20)
        return HttpResponse("shown")

    def open(self, address: str, **headers: str) -> HttpResponse:
        """Return an answer that was not read; it keeps its request, as Django's handler has it."""
        request = RequestFactory().get(address, headers=headers)
        response = self.places(request)
        response._resource_closers.append(request.close)  # type: ignore[attr-defined]
        return response

    def get(self, address: str, **headers: str) -> HttpResponse:
        response = self.open(address, **headers)
        end(response)
        return response


@pytest.fixture(autouse=True)
def few_connections(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEB_CONNECTIONS = 12
    monkeypatch.setattr(requests, "PLACE_SECONDS", 0.2)


@pytest.mark.parametrize(
    ("address", "headers", "most"),
    [
        ("/?token=1-secret", {}, 4),
        ("/", {"cookie": "sessionid=1"}, 9),
        ("/", {"authorization": "Bearer 1"}, 9),
    ],
    ids=["link", "account", "token"],
)
def test_forty_requests_of_one_leave_room(address: str, headers: dict[str, str], most: int) -> None:
    pages = SlowPages()
    with ThreadPoolExecutor(40) as pool:
        answers = [pool.submit(pages.get, address, **headers) for _ in range(40)]
        wait_until(lambda: sum(one.done() for one in answers) >= 40 - most)
        assert 0 < pages.number <= most
        for other in ("/?quick=1", "/?quick=1&token=2-other"):
            assert pages.get(other).status_code == 200
        assert pages.get("/?quick=1", cookie="sessionid=2").status_code == 200
        pages.end.set()
        statuses = [one.result().status_code for one in answers]
    assert set(statuses) == {200, 503}
    assert statuses.count(200) >= pages.number
    assert pages.get("/?quick=1&token=1-secret").status_code == 200
    assert not pages.places._present
    assert not pages.places._working


def test_a_request_waits_for_a_place_of_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "PLACE_SECONDS", 20.0)
    pages = SlowPages()
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(pages.get, "/?token=1-secret") for _ in range(8)]
        wait_until(lambda: pages.number == 4)
        pages.end.set()
        assert {one.result().status_code for one in answers} == {200}


def test_a_place_is_kept_until_the_answer_was_read() -> None:
    pages = SlowPages()
    unread = [pages.open("/?quick=1&token=1-secret") for _ in range(4)]
    assert {one.status_code for one in unread} == {200}
    assert pages.get("/?quick=1&token=1-secret").status_code == 503
    end(unread[0])
    assert pages.get("/?quick=1&token=1-secret").status_code == 200


def test_a_place_is_free_again_after_another_answer_took_the_place_of_its_own() -> None:
    pages = SlowPages()
    request = RequestFactory().get("/?quick=1&token=1-secret")
    assert pages.places(request).status_code == 200
    assert pages.places._present
    del request
    collect()
    assert not pages.places._present
    assert not pages.places._working


def test_many_links_together_leave_room_for_accounts() -> None:
    pages = SlowPages()
    unread = [pages.open(f"/?quick=1&token={number}") for number in range(12)]
    assert [one.status_code for one in unread] == [200] * 9 + [503] * 3
    assert pages.get("/?quick=1", cookie="sessionid=1").status_code == 200
    for one in unread:
        end(one)
    assert not pages.places._present
    assert not pages.places._working
