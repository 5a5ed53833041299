"""Five people change, read and delete the same things at once; the server has an answer to each request."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import Assignment
from tests.support.api import API, secret_of
from tests.support.sample_class import CLASS, zipped
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

CLIENTS = 5
CSRF = "c" * 32
SERVER_ERROR = 500
# A busy machine has this many times as long to answer everything once.
SLOW = 6
GENEROUS = {"MOSS_API_REQUESTS_A_MINUTE": "1000000", "MOSS_UPLOADS_AN_HOUR": "1000000"}
LANGUAGES = ("", "python", "java")
PAGES = ("", "pairs/", "students/", "ignored/", "uploads/", "activity/", "settings/", "exports/", "shares/")
TABLES = ("pairs.csv", "submissions.json")


class Answer(NamedTuple):
    """A request, and the status of its answer."""

    asked: str
    status: int


class Racer:
    """One of the people: asks at random, by the API or on the pages."""

    def __init__(self, port: int, user: User, assignments: list[int], seed: int) -> None:
        self.origin, self.assignments = f"http://localhost:{port}", assignments
        self.random = random.Random(seed)
        self.answers: list[Answer] = []
        self.program, self.browser = requests.Session(), requests.Session()
        self.program.headers["Authorization"] = f"Bearer {secret_of(user)}"
        session = Client()
        session.force_login(user)
        self.browser.cookies.update({"sessionid": session.cookies["sessionid"].value, "csrftoken": CSRF})
        self.browser.headers["X-CSRFToken"] = CSRF

    def race(self, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            self.random.choices(list(self.acts), list(self.acts.values()))[0](self)

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """Ask the API."""
        return self._ask(self.program, method, API + path, **options)

    def visit(self, path: str, method: str = "GET", **options: Any) -> requests.Response:
        return self._ask(self.browser, method, path, allow_redirects=False, **options)

    def _ask(self, session: requests.Session, method: str, path: str, **options: Any) -> requests.Response:
        answer = session.request(method, self.origin + path, timeout=120, **options)
        self.answers.append(Answer(f"{method} {path}", answer.status_code))
        return answer

    @property
    def path(self) -> str:
        return f"/assignments/{self.random.choice(self.assignments)}"

    def upload(self) -> None:
        names = self.random.sample(sorted(CLASS), 2)
        files = {f"{name}": CLASS[name] + f"\n# {self.random.random()}\n" for name in names}
        self.call("POST", f"{self.path}/uploads", files={"files": ("a.zip", zipped(files).read())})

    def delete_upload(self) -> None:
        for upload in self._items(f"{self.path}/uploads")[:1]:
            self.call("DELETE", f"/uploads/{upload['id']}")

    def cancel(self) -> None:
        path = self.path
        self.visit(f"{path}/ranking/cancel/", "POST")
        for upload in self._items(f"{path}/uploads")[:1]:
            self.visit(f"/batches/{upload['id']}/cancel/", "POST")

    def rank(self) -> None:
        self.call("POST", f"{self.path}/report")

    def change_language(self) -> None:
        self.call("PATCH", self.path, json={"language": self.random.choice(LANGUAGES), "read_again": True})

    def read_report(self) -> None:
        path = self.path
        self.call("GET", f"{path}/report")
        self.call("GET", f"{path}/cases?threshold=20")
        self.call("GET", f"{path}/exports/{self.random.choice(TABLES)}")
        for pair in self._items(f"{path}/pairs")[:1]:
            sides = f"{path}/pairs/{pair['left_id']}/{pair['right_id']}"
            self.call("GET", sides)
            self.call("GET", f"{sides}/document?format=html")
            self.call("PUT", f"{sides}/decision", json={"state": "suspicious"})
            self.visit(f"{sides}/")
            self.visit(f"{path}/cases/{pair['left_id']}/")
            self.visit(f"{path}/submissions/{pair['left_id']}/")

    def read_pages(self) -> None:
        path = self.path
        self.visit(f"{path}/{self.random.choice(PAGES)}")
        for upload in self._items(f"{path}/uploads")[:1]:
            self.visit(f"/batches/{upload['id']}/")
            self.visit(f"/batches/{upload['id']}/progress/")

    def renew_assignment(self) -> None:
        """Delete an assignment, and create another one in its place."""
        place = self.random.randrange(len(self.assignments))
        course = self.call("GET", "/courses").json()["items"][0]["id"]
        self.call("DELETE", f"/assignments/{self.assignments[place]}")
        name = f"Work {self.random.random()}"
        response = self.call("POST", f"/courses/{course}/assignments", json={"name": name})
        self.assignments[place] = response.json()["id"]

    def change_people(self) -> None:
        """Invite one of two addresses, upload or remove the roster, and end invitations of others."""
        course = f"/courses/{self.call('GET', '/courses').json()['items'][0]['id']}"
        guest = {"email": f"guest{self.random.randrange(2)}@example.org", "role": "observer"}
        self.call("POST", f"{course}/invitations", json=guest)
        students = "".join(f"{name},{self.random.random()}\n" for name in ("ada", "ben", "cleo"))
        self.call("POST", f"{course}/roster", files={"file": ("class.csv", f"name,id\n{students}")})
        self._items(f"{course}/roster/students")
        self._items(f"{self.path}/submissions")
        for one in self._items(f"{course}/invitations")[:1]:
            self.call("DELETE", f"{course}/invitations/{one['id']}")
        if self.random.random() < 0.5:
            self.call("DELETE", f"{course}/roster")

    def _items(self, path: str) -> list[dict[str, Any]]:
        answer = self.call("GET", path)
        items = answer.json()["items"] if answer.ok else []
        self.random.shuffle(items)
        return items

    # How often each is done.
    acts: dict[Callable[[Racer], None], int] = {  # noqa: RUF012
        upload: 4, delete_upload: 4, cancel: 2, rank: 2, change_language: 1, read_report: 5, read_pages: 4,
        renew_assignment: 1, change_people: 3,
    }  # fmt: skip


def race(owner: User, assignment: Assignment, log: Path, *, seconds: float, seed: int, wanted: set[str]) -> None:
    """Let five people race until each of the `wanted` statuses came; none is a server's error."""
    second = Assignment.objects.create(course=assignment.course, name="Second")
    assignments = [assignment.pk, second.pk]
    with web_server(log=str(log), **GENEROUS) as port:
        racers = [Racer(port, owner, assignments, seed + number) for number in range(CLIENTS)]
        start = time.monotonic()

        def goes_on() -> bool:
            limit = seconds if wanted <= statuses(racers) else SLOW * seconds
            return time.monotonic() < start + limit

        threads = [threading.Thread(target=racer.race, args=(goes_on,)) for racer in racers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    wrong = [answer for racer in racers for answer in racer.answers if answer.status >= SERVER_ERROR]
    assert not wrong, f"{wrong}\n{log.read_text()[-20_000:]}"
    assert wanted <= statuses(racers)


def statuses(racers: list[Racer]) -> set[str]:
    return {str(answer.status) for racer in racers for answer in list(racer.answers)}


@pytest.mark.long
@pytest.mark.usefixtures("celery_worker_process")
def test_nobody_of_five_who_race_for_a_minute_gets_an_error_of_the_server(
    alice: User, assignment: Assignment, tmp_path: Path
) -> None:
    wanted = {"200", "202", "204", "404", "410"}
    race(alice, assignment, tmp_path / "web.log", seconds=60, seed=100, wanted=wanted)
