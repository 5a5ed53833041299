"""Requests that nobody sends by mistake: every answer is a problem document, and no server error."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from submissions.courses.change import remove_member
from submissions.models import Course, CourseRoster, Membership
from tests.moss.integrations.api.test_roles import PREFIX
from tests.moss.integrations.api.test_unknown_fields import JSON, operations
from tests.support.api import API, api_client, problem_of, send
from tests.support.every_page import World, api_places
from tests.support.sample_class import loose

pytestmark = pytest.mark.services

DEEP = 100_000
BODIES = {
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep in a field": b'{"name":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a number of 10,000 digits": b'{"name": "x", "keep_months": ' + b"9" * 10_000 + b"}",
    "a number beyond any float": b'{"name": "x", "keep_months": 1e999}',
    "no number": b'{"name": "x", "keep_months": NaN}',
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "NUL": b'{"name": "a\\u0000b"}',
    "a name of NUL": b'{"\\u0000": 1}',
    "nothing": b"",
    "a list": b"[]",
    "null": b"null",
    "a name twice": b'{"name": "", "name": null}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_no_body_breaks_an_endpoint(world: World, body: bytes) -> None:
    client, places = api_client(world.owner), api_places(world, world.owner)
    tried = 0
    for method, path, content in operations():
        if JSON in content:
            address = PREFIX + path.format(**places)
            response = getattr(client, method)(address, body, content_type=JSON)
            assert problem_of(response)["status"] in {400, 409, 413, 422}, (method, path)
            tried += 1
    assert tried >= 15


@pytest.fixture
def course(alice: User) -> Course:
    return Course.objects.create(owner=alice, name="Algorithms")


HEAD = 'Content-Disposition: form-data; name="{field}"; filename="{name}"'
NAMES = ("a\0b.csv", "../../etc/passwd", "x" * 5000 + ".csv", "\ud800.csv", "", "a\r\nX: 1.csv", "\u202e.csv")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_no_name_of_a_file_breaks_the_roster(course: Course, alice: User, name: str) -> None:
    head = HEAD.format(field="file", name=name).encode("utf-8", "surrogatepass")
    body = b"--x\r\n" + head + b"\r\n\r\nname,login\r\nAnna Berg,aberg\r\n\r\n--x--\r\n"
    path = f"{API}/courses/{course.pk}/roster"
    answer: Any = api_client(alice).generic("POST", path, body, "multipart/form-data; boundary=x")
    if answer.status_code == 201:
        stored = CourseRoster.objects.get().name
        assert "\0" not in stored
        assert "/" not in stored
        assert len(stored) <= 255
    else:
        assert problem_of(answer)["status"] in {400, 422}


PLACES = (
    ("get", "members", None),
    ("patch", "members/{member}", {"role": "observer"}),
    ("delete", "members/{member}", None),
    ("get", "invitations", None),
    ("post", "invitations", {"email": "eve@example.org", "role": "instructor"}),
    ("get", "roster", None),
    ("get", "roster/students", None),
    ("delete", "roster", None),
    ("get", "assignments", None),
    ("delete", "?name=Algorithms", None),
)


def test_the_token_of_a_removed_member_and_of_another_course_find_nothing(
    course: Course, alice: User, bob: User
) -> None:
    member = Membership.objects.create(course=course, user=bob, role="instructor")
    kept = Membership.objects.create(course=course, user=User.objects.create_user("tess"), role="assistant")
    other = Course.objects.create(owner=alice, name="Trees")
    of_bob, of_trees = api_client(bob), api_client(alice, "write", [other])
    assert send(of_bob, "get", f"/courses/{course.pk}/members").status_code == 200
    remove_member(member)
    for client in (of_bob, of_trees):
        for method, place, body in PLACES:
            path = f"/courses/{course.pk}/{place.format(member=kept.pk)}".replace("/?", "?")
            assert problem_of(send(client, method, path, body))["status"] == 404, (method, path)
    assert Course.objects.filter(pk=course.pk).exists()
    assert [*course.memberships.values_list("user__username", "role")] == [("tess", "assistant")]


def test_a_member_who_was_made_an_observer_keeps_no_right_of_the_token(course: Course, bob: User) -> None:
    member = Membership.objects.create(course=course, user=bob, role="instructor")
    client = api_client(bob)
    assert send(client, "get", f"/courses/{course.pk}/invitations").status_code == 200
    Membership.objects.filter(pk=member.pk).update(role="observer")
    for method, place, body in PLACES[3:5] + PLACES[6:8] + PLACES[9:]:
        path = f"/courses/{course.pk}/{place}".replace("/?", "?")
        assert problem_of(send(client, method, path, body))["status"] == 403, (method, path)


@pytest.mark.long
def test_the_largest_roster_is_taken_in_one_request(course: Course, alice: User) -> None:
    rows = "".join(f"Student {n},s{n},{n:07},Group {n % 40},Team {n % 4000}\n" for n in range(20_000))
    text = f"name,login,id,section,team\n{rows}"
    response = api_client(alice).post(f"{API}/courses/{course.pk}/roster", {"file": loose("class.csv", text)})
    assert response.status_code == 201, response.content
    assert (response.json()["students"], response.json()["sections"]) == (20_000, 40)
