"""What may be stored once, or a number of times, is not stored more often by requests at the same moment.

Each statement that stores such a row sleeps, so that all requests have looked before one of them stores.
"""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import ForeignKey, Model, OneToOneField, UniqueConstraint
from django.test import Client
from django.urls import reverse

from moss.integrations.webhooks.models import Webhook
from moss.integrations.webhooks.sending import MOST_WEBHOOKS, create as create_webhook
from submissions.cases.change import MAX_STATEMENTS, add_statement
from submissions.courses.change import invitation_token, invite
from submissions.models import (
    Assignment,
    CampusGroup,
    Course,
    Invitation,
    Membership,
    ResumableUpload,
    Statement,
    Submission,
)
from submissions.uploads.change import MOST_BEGUN, begin_resumable
from tests.support.api import API, api_client, send
from tests.support.product_regexes import ROOT

AT_ONCE = 4
SLOWLY = """
CREATE FUNCTION sleep_before() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END';
CREATE TRIGGER sleep_before BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION sleep_before();
"""
ADDRESS = "https://hooks.example.org/"
EVENTS = ["report.ready"]


class Case(NamedTuple):
    """Rows of which there may be `most`, and requests, each for another one, that store one more."""

    model: type[Model]
    most: int
    ask: Callable[[Assignment, User, int], Any]
    prepare: Callable[[Assignment, User], object] = lambda _assignment, _owner: None


def by_page(name: str, /, **fields: object) -> Callable[[Assignment, User, int], Any]:
    def ask(assignment: Assignment, owner: User, _number: int) -> Any:
        course = name in {"webhooks", "add_group", "course"}
        arguments = [assignment.course_id if course else assignment.pk] if name != "courses" else []
        return signed_in(owner).post(reverse(name, args=arguments), fields)

    return ask


def by_api(path: str, body: object) -> Callable[[Assignment, User, int], Any]:
    def ask(assignment: Assignment, owner: User, _number: int) -> Any:
        named = path.format(course=assignment.course_id, assignment=assignment.pk)
        return send(api_client(owner), "POST", named, body)

    return ask


def signed_in(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def accept(assignment: Assignment, _owner: User, number: int) -> Any:
    token = invitation_token(assignment.course.invitations.get())
    user = User.objects.create_user(f"guest{number}")
    return signed_in(user).post(reverse("invitation", args=[token]))


def create_account(_assignment: Assignment, _owner: User, number: int) -> Any:
    name = ("eva", "Eva", "EVA", "eVa")[number]
    return send(api_client(User.objects.get(username="boss")), "POST", "/accounts", {"username": name})


def put_on_file(assignment: Assignment, owner: User, _number: int) -> Any:
    submission = Submission.objects.get(batch__assignment=assignment)
    address = reverse("add_statement", args=[assignment.pk, submission.pk])
    return signed_in(owner).post(address, {"file": SimpleUploadedFile("a.txt", b"I agree.")})


def begin(assignment: Assignment, owner: User, _number: int) -> Any:
    headers = {"Upload-Length": "5", "Tus-Resumable": "1.0.0"}
    path = f"{API}/assignments/{assignment.pk}/resumable"
    return api_client(owner).post(path, headers=headers)


def statements(assignment: Assignment, owner: User) -> None:
    batch = assignment.batches.create(name="a.zip", uploaded_by=owner, state="done")
    batch.submissions.create(name="ada")
    for _ in range(MAX_STATEMENTS - 1):
        add_statement(assignment, "ada", owner, "a.txt", b"I agree.")


def webhooks(assignment: Assignment, owner: User) -> None:
    for _ in range(MOST_WEBHOOKS - 1):
        create_webhook(assignment.course, owner, ADDRESS, EVENTS)


def begun(assignment: Assignment, owner: User) -> None:
    for _ in range(MOST_BEGUN - 1):
        begin_resumable(assignment, owner, "a.zip", 5)


HOOK = {"url": ADDRESS, "events": EVENTS}
CASES = {
    "an invitation": Case(
        Membership, 1, accept, lambda one, owner: invite(one.course, owner, "a@example.org", "observer")
    ),
    "webhooks": Case(Webhook, MOST_WEBHOOKS, by_page("webhooks", **HOOK), webhooks),
    "webhooks by the API": Case(Webhook, MOST_WEBHOOKS, by_api("/courses/{course}/webhooks", HOOK), webhooks),
    "statements": Case(Statement, MAX_STATEMENTS, put_on_file, statements),
    "uploads in parts": Case(ResumableUpload, MOST_BEGUN, begin, begun),
    "a course": Case(Course, 2, by_page("courses", name="Same")),
    "a course by the API": Case(Course, 2, by_api("/courses", {"name": "Same"})),
    "an assignment": Case(Assignment, 2, by_page("course", name="Same")),
    "an assignment by the API": Case(Assignment, 2, by_api("/courses/{course}/assignments", {"name": "Same"})),
    "a campus group": Case(CampusGroup, 1, by_page("add_group", group="staff", role="observer")),
    "an account by the API": Case(
        User, 3, create_account, lambda _assignment, _owner: User.objects.create_user("boss", is_staff=True)
    ),
    "an address": Case(
        Invitation, 1, by_api("/courses/{course}/invitations", {"email": "a@example.org", "role": "observer"})
    ),
}


@contextmanager
def stored_slowly(model: type[Model]) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(SLOWLY.format(table=model._meta.db_table))
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION sleep_before CASCADE")


def at_once(act: Callable[[int], Any]) -> list[Any]:
    """Return the answers to requests that are sent at the same moment."""
    barrier, answers = Barrier(AT_ONCE), list[Any]()

    def ask(number: int) -> None:
        try:
            barrier.wait(timeout=60)
            answers.append(act(number))
        finally:
            connection.close()

    threads = [Thread(target=ask, args=[number]) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", CASES)
def test_no_more_is_stored_at_the_same_moment_than_one_after_the_other(
    name: str, assignment: Assignment, alice: User
) -> None:
    case = CASES[name]
    case.prepare(assignment, alice)
    with stored_slowly(case.model):
        answers = at_once(lambda number: case.ask(assignment, alice, number))
    statuses = sorted(answer.status_code for answer in answers)
    assert case.model._default_manager.count() == case.most
    assert len(statuses) == AT_ONCE
    assert statuses[0] in {200, 201, 302}
    assert set(statuses) <= {200, 201, 302, 404, 409, 422, 429}, statuses
    for answer in answers:
        if answer.status_code == 409:
            said = ("at the same moment", "meanwhile", "There is an account of this name")
            assert any(words in answer.content.decode() for words in said)


def unique_names(model: type[Model]) -> list[set[str]]:
    """Return the sets of columns that are unique in a table."""
    constraints = [set(one.fields) for one in model._meta.constraints if isinstance(one, UniqueConstraint)]
    return constraints + [{field.name} for field in model._meta.concrete_fields if field.unique]


def calls() -> Iterator[tuple[str, type[Model], set[str]]]:
    """Yield each place that gets a row or creates it, with the table and the columns by which it looks."""
    models = {model.__name__: model for model in apps.get_models()}
    related = {
        field.remote_field.related_name: (model, field.name)
        for model in models.values()
        for field in reversed(model._meta.concrete_fields)  # The first of its fields names what it is of.
        if isinstance(field, ForeignKey | OneToOneField)
    }
    found = (path for package in ("moss", "submissions") for path in sorted((ROOT / package).rglob("*.py")))
    for file in (path for path in found if "sample" not in path.parts):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Attribute(ast.Attribute(owner, last), "get_or_create" | "update_or_create")):
                    names = {one.arg for one in node.keywords if one.arg}
                    if last == "objects" and isinstance(owner, ast.Name | ast.Attribute):
                        model = models[owner.id if isinstance(owner, ast.Name) else owner.attr]
                        yield f"{file}:{node.lineno}", model, names
                    else:
                        model, column = related[last]
                        yield f"{file}:{node.lineno}", model, names | {column}


def test_whatever_is_got_or_created_is_unique_by_what_is_looked_for() -> None:
    found = list(calls())
    assert len(found) > 15
    assert [place for place, model, names in found if not is_unique(model, names)] == []


def is_unique(model: type[Model], names: set[str]) -> bool:
    """Return whether look-ups of these names find one row at most."""
    columns = {"pk": "id"} | {field.attname: field.name for field in model._meta.concrete_fields}
    return any(one <= {columns.get(name, name) for name in names} for one in unique_names(model))
