"""A person who works with a running server during `tests.faults`, and remembers what the server said."""

from __future__ import annotations

import http.client
import io
import json
import random
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection
from kombu.exceptions import OperationalError as BrokerError

from moss.integrations.accounts.sessions import SessionStore
from submissions.models import Course, Pair, Report

Value = TypeVar("Value")

PROGRAMS = 24
BOUNDARY = "boundary-of-a-file"
TOKEN = "a" * 32
SECONDS = 60
COPIES = ["student03", "student17"]
LANGUAGES = ("", "python", "ruby")
STATES = ("clear", "suspicious", "confirmed")
# Every change was seen.
SEEN = str(2**63 - 1)
HTTP_ERRORS = range(400, 500)


def retried(query: Callable[[], Value]) -> Value:
    """Return the result of a query; try it again while the database or the broker recovers."""
    for _ in range(SECONDS):
        try:
            return query()
        except (OperationalError, InterfaceError, BrokerError):
            connection.close()
            time.sleep(1)
    return query()


class Answer(NamedTuple):
    """Status 0: there was none, so it is not known whether the request was carried out."""

    status: int
    location: str
    body: bytes


@dataclass
class Acknowledged:
    """Record of what the server said that it accepted, stored or deleted.

    `uploads`: batches with the names of their submissions; `boilerplate`: (assignment, name); `decisions`:
    the states that (assignment, left, right) may have, only one unless a request had no certain answer;
    `languages`: those that an assignment may have, likewise;
    `leavers`: the student of each batch who may be erased; `erased` and `perhaps_erased`: who was.
    `lies`: answers that are untrue by themselves; `answers`: how many there were of each kind.
    """

    uploads: dict[int, list[str]] = field(default_factory=dict)
    boilerplate: set[tuple[int, str]] = field(default_factory=set)
    decisions: dict[tuple[int, str, str], set[str]] = field(default_factory=dict)
    uncertain: set[tuple[int, str, str]] = field(default_factory=set)
    deleted: set[int] = field(default_factory=set)
    perhaps_deleted: set[int] = field(default_factory=set)
    lies: list[str] = field(default_factory=list)
    languages: dict[int, set[str]] = field(default_factory=dict)
    leavers: dict[int, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    perhaps_erased: set[str] = field(default_factory=set)
    answers: dict[str, int] = field(default_factory=dict)


class Person:
    """An instructor with a session of the running server."""

    def __init__(self, rng: random.Random, port: int) -> None:
        self.rng, self.port = rng, port
        self.acknowledged = Acknowledged()
        self.stopped = threading.Event()
        self.user = retried(lambda: account("instructor"))
        self.course, _ = retried(lambda: Course.objects.get_or_create(owner=self.user, name="Faults"))
        self.session = retried(lambda: signed_in(self.user))
        self.assignments: list[int] = []

    def send(self, path: str, body: bytes | None = None, kind: str = "", session: str = "") -> Answer:
        """Send a GET, or a POST where there is a body, in the session of this person or in another one."""
        cookies = f"sessionid={session or self.session}; csrftoken={TOKEN}"
        headers = {"Cookie": cookies, "Host": "localhost"}
        headers |= {"X-CSRFToken": TOKEN, "Content-Type": kind} if body is not None else {}
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            client.request("GET" if body is None else "POST", path, body, headers)
            response = client.getresponse()
            answer = Answer(response.status, response.headers.get("Location", ""), response.read())
        except (OSError, http.client.HTTPException):
            answer = Answer(0, "", b"")
        finally:
            client.close()
        name = f"{path.strip('/').split('/')[-1] or 'page'} {answer.status}"
        self.acknowledged.answers[name] = self.acknowledged.answers.get(name, 0) + 1
        return answer

    def post(self, path: str, session: str = "", **fields: str) -> Answer:
        return self.send(path, urlencode(fields).encode(), "application/x-www-form-urlencoded", session)

    def post_file(self, path: str, name: str, content: bytes) -> Answer:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        return self.send(path, body, f"multipart/form-data; boundary={BOUNDARY}")

    def upload_class(self, programs: int = PROGRAMS) -> int | None:
        """Upload a class with two copies to an assignment of its own; return the key where it is accepted."""
        assignment = retried(lambda: self.course.assignments.create(name=f"Class {len(self.assignments)}"))
        self.assignments.append(assignment.pk)
        leaver = f"leaver{self.rng.randrange(10**9):09}"
        names, archive = class_archive(self.rng, programs, leaver)
        answer = self.post_file(f"/assignments/{assignment.pk}/upload/", "class.zip", archive)
        if answer.status != http.HTTPStatus.FOUND:
            return None
        pk = int(answer.location.strip("/").split("/")[-1])
        self.acknowledged.uploads[pk], self.acknowledged.leavers[pk] = names, leaver
        return pk

    def add_boilerplate(self) -> None:
        pk, name = self.rng.choice(self.assignments), f"starter{self.rng.randrange(10**6)}.py"
        answer = self.post_file(f"/assignments/{pk}/boilerplate/", name, starter(self.rng).encode())
        if answer.status == http.HTTPStatus.FOUND:
            self.acknowledged.boilerplate.add((pk, name))

    def rank_again(self) -> None:
        self.post(f"/assignments/{self.rng.choice(self.assignments)}/rerank/")

    def list_repositories(self) -> None:
        """Have repositories fetched of a host that nobody knows; each of them fails, and no upload comes."""
        path = f"/assignments/{self.rng.choice(self.assignments)}/repositories/"
        self.post(path, repositories="https://git.invalid/one\nhttps://git.invalid/two")

    def change_language(self) -> None:
        """Have the files of an assignment read in another language, or in that of each file."""
        pk = self.rng.choice(self.assignments)
        assignment = retried(lambda: self.course.assignments.get(pk=pk))
        language = self.rng.choice([one for one in LANGUAGES if one != assignment.language])
        fields = {
            "name": assignment.name,
            "language": language,
            "confirmed": language,
            "compare_mates": "False",
        }
        if self.post(f"/assignments/{pk}/settings/", **fields).status == http.HTTPStatus.FOUND:
            self.acknowledged.languages[pk] = {language}
        else:
            self.acknowledged.languages.setdefault(pk, {""}).add(language)

    def decide(self) -> None:
        pair = retried(self._some_pair)
        if pair is None:
            return
        state = self.rng.choice(STATES)
        pk = pair.report.assignment_id
        path = f"/assignments/{pk}/pairs/{pair.left_id}/{pair.right_id}/decide/"
        decided_on = "-".join(map(str, sorted((pair.left_id, pair.right_id))))
        answer = self.post(path, state=state, seen=SEEN, decided_on=decided_on)
        self._remember((pk, pair.left.name, pair.right.name), state, answer)

    def propose_to_ignore(self) -> None:
        """Have measured what ignoring the longest passage of a pair would change; nothing is ignored."""
        pair = retried(self._some_pair)
        if pair is None or not pair.passages:
            return
        pk = pair.report.assignment_id
        path = f"/assignments/{pk}/pairs/{pair.left_id}/{pair.right_id}/ignore/"
        self.post(path, passage=pair.passages[0].key)

    def _remember(self, key: tuple[int, str, str], state: str, answer: Answer) -> None:
        certain = answer.status == http.HTTPStatus.FOUND
        if not certain and answer.status in HTTP_ERRORS:
            return
        if not certain:
            self.acknowledged.uncertain.add(key)
        before = self.acknowledged.decisions.get(key, {"undecided"})
        self.acknowledged.decisions[key] = {state} | (before if key in self.acknowledged.uncertain else set())

    def _some_pair(self) -> Pair | None:
        done = Report.objects.filter(state=Report.State.DONE, assignment__in=self.assignments)
        pairs = [pair for report in done for pair in report.pairs.select_related("left", "right", "report")[:9]]
        return self.rng.choice(pairs) if pairs else None

    def export(self) -> None:
        """Download the table of pairs; it must be whole where the server says that it is there."""
        answer = self.send(f"/assignments/{self.rng.choice(self.assignments)}/pairs.json")
        if answer.status == http.HTTPStatus.OK:
            try:
                json.loads(answer.body)
            except ValueError:
                self.acknowledged.lies.append(f"an export of {len(answer.body)} bytes is cut off")

    def delete_upload(self) -> None:
        """Delete an accepted upload, unless few are left."""
        left = sorted(self.acknowledged.uploads.keys() - self.acknowledged.deleted - self.acknowledged.perhaps_deleted)
        if len(left) <= 2:
            return
        pk = self.rng.choice(left)
        if self.post(f"/batches/{pk}/delete/").status == http.HTTPStatus.FOUND:
            self.acknowledged.deleted.add(pk)
        else:
            self.acknowledged.perhaps_deleted.add(pk)


def account(name: str, **fields: bool) -> User:
    defaults = {"email": f"{name}@example.org", **fields}
    return User.objects.get_or_create(username=name, defaults=defaults)[0]


def signed_in(user: User) -> str:
    """Return the key of a new session of an account."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def class_archive(rng: random.Random, size: int, leaver: str) -> tuple[list[str], bytes]:
    """Return the sorted names of a class and its archive; two programs are equal, the others are random.

    The program of the `leaver` names this student.
    """
    programs = {f"student{n:02}": program(rng) for n in range(size)}
    programs[COPIES[1]] = programs[COPIES[0]]
    programs[leaver] = f"# by {leaver}\n{program(rng)}"
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as file:
        for name, text in programs.items():
            file.writestr(f"{name}/main.py", text)
    return sorted(programs), archive.getvalue()


def program(rng: random.Random) -> str:
    lines = [f"def f{n}(a, b):\n    return a {rng.choice('+-*/')} {rng.randrange(999)} + b" for n in range(40)]
    rng.shuffle(lines)
    calls = "\n".join(f"print(f{rng.randrange(40)}({rng.randrange(99)}, {rng.randrange(99)}))" for _ in range(90))
    return "\n".join(lines) + "\n" + calls + "\n"


def starter(rng: random.Random) -> str:
    """Return a program of another form, which has nothing in common with the submissions."""
    words = [f"word{rng.randrange(10**6)}" for _ in range(20)]
    branches = "".join(f"    elif text.startswith('{word}'):\n        table['{word}'] = []\n" for word in words)
    return f"table = {{}}\nwhile text := input():\n    if not text:\n        break\n{branches}"
