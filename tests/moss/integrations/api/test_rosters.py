"""Rosters and submissions by the API."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import AuditEntry, Course, CourseRoster, Membership
from tests.support.api import API, api_client, problem_of, send
from tests.support.every_page import World
from tests.support.sample_class import loose

pytestmark = pytest.mark.services

FILE = "name,login,section\nAnna Berg,aberg,A\nBen Carr,bcarr,B\nCleo Dorn,cdorn,A\n"


def upload(client: Client, course: Course, text: str | bytes) -> Any:
    file = loose("class.csv", text)
    return client.post(f"{API}/courses/{course.pk}/roster", {"file": file})


def test_a_roster_is_uploaded_read_in_parts_and_removed(course: Course, alice: User) -> None:
    client, path = api_client(alice), f"/courses/{course.pk}/roster"
    assert problem_of(send(client, "get", path))["detail"] == "This course has no roster."
    created = upload(client, course, FILE)
    assert created.status_code == 201, created.content
    expected = {
        "file": "class.csv", "students": 3, "sections": 2, "teams": 0, "problems": [], "problem_count": 0,
    }  # fmt: skip
    assert created.json().items() >= expected.items()
    assert send(client, "get", path).json() == created.json()
    first = send(client, "get", f"{path}/students?limit=2").json()
    rest = send(client, "get", f"{path}/students?limit=2&cursor={first['next']}").json()
    assert [one["name"] for one in first["items"] + rest["items"]] == ["Anna Berg", "Ben Carr", "Cleo Dorn"]
    assert rest["next"] is None
    assert send(client, "delete", path).status_code == 204
    assert not CourseRoster.objects.exists()
    assert problem_of(send(client, "delete", path))["status"] == 404
    acts = AuditEntry.objects.order_by("pk").values_list("action", "subject")
    assert list(acts) == [(act, "roster") for act in ("uploaded", "saw", "saw", "saw", "deleted")]


def test_a_roster_that_cannot_be_read_changes_nothing(course: Course, alice: User) -> None:
    client = api_client(alice)
    upload(client, course, FILE)
    for file in ("", "no,such,columns\n1,2,3\n", b"PK\x03\x04\x00\x00", "name\n" + "x\n" * 100_000):
        refused = problem_of(upload(client, course, file))
        assert (refused["status"], refused["errors"][0]["field"]) == (422, "file"), refused
    assert send(client, "get", f"/courses/{course.pk}/roster").json()["students"] == 3


def test_an_observer_reads_figures_of_a_roster_and_no_student(course: Course, alice: User) -> None:
    upload(api_client(alice), course, f"{FILE}Anna Berg,aberg,A\n")
    Membership.objects.create(course=course, user=User.objects.create_user("olga"), role="observer")
    client, path = api_client(User.objects.get(username="olga")), f"/courses/{course.pk}/roster"
    seen = send(client, "get", path).json()
    assert (seen["students"], seen["problems"], seen["problem_count"]) == (3, None, 1)
    assert send(client, "get", f"{path}/students").status_code == 403
    assert upload(client, course, FILE).status_code == 403


def test_the_submissions_of_an_assignment_are_listed_in_parts(world: World) -> None:
    path, stored = f"/assignments/{world.assignment.pk}/submissions", world.batch.submissions
    client = api_client(world.owner)
    items: list[dict[str, Any]] = []
    following: str | None = ""
    while following is not None:
        part = send(client, "get", f"{path}?limit=4&cursor={following}").json()
        assert len(part["items"]) <= 4
        items, following = items + part["items"], part["next"]
    assert [one["id"] for one in items] == list(stored.order_by("pk").values_list("pk", flat=True))
    assert len(items) > 4
    first = stored.earliest("pk")
    assert items[0]["name"] == first.name
    assert (items[0]["upload"], items[0]["role"], items[0]["files"]) == (
        world.batch.pk,
        "class",
        first.files.count(),
    )
    assert isinstance(items[0]["students"], list)


def test_an_observer_reads_made_up_names_of_submissions(world: World) -> None:
    user = User.objects.create_user("olga")
    Membership.objects.create(course=world.assignment.course, user=user, role="observer")
    items = send(api_client(user), "get", f"/assignments/{world.assignment.pk}/submissions").json()["items"]
    real = set(world.batch.submissions.values_list("name", flat=True))
    assert len(items) == len(real)
    assert not real & {one["name"] for one in items}
    assert {(one["students"], one["handed_in"]) for one in items} == {(None, None)}
