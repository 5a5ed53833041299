"""Rules of every endpoint: problems, ETags, idempotency keys, and requests that nobody sends by mistake."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from moss.integrations.api import api
from moss.integrations.webhooks.api import WebhookChange, WebhookIn
from submissions.courses.api import AssignmentChange, AssignmentIn, CourseChange, CourseIn
from submissions.courses.change import remove_member
from submissions.models import Assignment, Batch, Course, CourseRoster, Membership
from tests.moss.integrations.api.test_roles import HEADERS, PREFIX
from tests.support.api import API, api_client, problem_of, send
from tests.support.every_page import World, api_places
from tests.support.sample_class import loose

KEY = {"Idempotency_Key": "first"}


def test_every_error_is_a_problem(caller: Client) -> None:
    assert problem_of(send(caller, "get", "/nothing"))["status"] == 404
    assert problem_of(send(caller, "get", "/courses/7"))["status"] == 404
    assert problem_of(send(caller, "get", "/courses/99999999999999999999"))["status"] == 422
    assert problem_of(send(caller, "delete", "/courses"))["status"] == 405
    assert problem_of(send(caller, "post", "/courses", {}))["status"] == 422
    assert problem_of(send(caller, "post", "/courses", {"name": " "}))["errors"][0]["field"] == "name"
    unknown = [{"field": "nme", "message": "There is no such field here."}]
    assert problem_of(send(caller, "post", "/courses", {"name": "x", "nme": "x"}))["errors"] == unknown
    assert problem_of(send(caller, "get", "/courses?nme=x"))["errors"] == unknown
    too_large = caller.post(f"{API}/courses", b"x" * 3_000_000, content_type="application/json")
    assert problem_of(too_large)["status"] == 413
    broken = caller.post(f"{API}/courses", b"{", content_type="application/json")
    assert problem_of(broken)["status"] == 400


def test_an_error_of_the_service_is_a_problem_without_details(caller: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("submissions.courses.read.listed_courses", fail)
    response = send(caller, "get", "/courses")
    assert problem_of(response)["status"] == 500
    assert b"secret detail" not in response.content


def test_what_the_client_has_already_is_not_sent_again(caller: Client, alice: User) -> None:
    etag = send(caller, "get", "/courses").headers["ETag"]
    again = send(caller, "get", "/courses", If_None_Match=etag)
    assert (again.status_code, again.content) == (304, b"")
    Course.objects.create(owner=alice, name="New")
    assert send(caller, "get", "/courses", If_None_Match=etag).status_code == 200


def test_a_request_with_the_same_key_is_answered_as_the_first_time(caller: Client) -> None:
    first = send(caller, "post", "/courses", {"name": "New"}, **KEY)
    again = send(caller, "post", "/courses", {"name": "New"}, **KEY)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Course.objects.count() == 1
    other = send(caller, "post", "/courses", {"name": "Another"}, **KEY)
    assert problem_of(other)["status"] == 422
    assert Course.objects.count() == 1


def test_a_key_counts_for_its_token_only(caller: Client, alice: User) -> None:
    send(caller, "post", "/courses", {"name": "New"}, **KEY)
    same = send(api_client(alice), "post", "/courses", {"name": "New"}, **KEY)
    assert problem_of(same)["errors"][0]["message"] == "You have a course of this name already."


def test_a_request_that_failed_by_the_service_may_be_sent_again(
    caller: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr("submissions.courses.api.course_out", fail)
        assert send(caller, "post", "/courses", {"name": "New"}, **KEY).status_code == 500
    assert send(caller, "post", "/courses", {"name": "Other"}, **KEY).status_code == 201


NONSENSE = "no_such_field"


FORM = "multipart/form-data"


JSON = "application/json"


# What the query has to have.
REQUIRED = {("delete", "/courses/{course_id}"): "&name=x"}


SETTINGS = {
    "name": "Sorting", "term": "autumn 2026", "language": "python", "common_limit": 12,
    "due": "2026-12-01T12:00:00Z", "teams": "ada, ben", "compare_mates": True, "include_patterns": "*.csv",
    "exclude_patterns": "/tests/", "only_patterns": "src/**", "language_patterns": "*.st = structured-text",
    "compare_course": True, "compare_archive": True, "hold": "An appeal.", "threshold": 40,
}  # fmt: skip


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, the path and the kinds of body of every endpoint."""
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield method, path.removeprefix(PREFIX), operation.get("requestBody", {}).get("content", {})


def refused_fields(response: Any) -> set[str]:
    """Return the last part of the names of the fields that an answer refuses."""
    assert response.status_code == 422, response.content
    return {error["field"].rpartition(".")[2] for error in problem_of(response)["errors"]}


@pytest.mark.long
def test_every_endpoint_names_a_field_that_it_does_not_know(world: World) -> None:
    client = api_client(world.owner)
    listed = world.assignment.batches.create(name="listed", state=Batch.State.LISTED, preview=True)
    places = api_places(world, world.owner) | {"upload_id": listed.pk, "table": "pairs", "suffix": "csv"}
    seen = []
    for method, path, content in operations():
        address, headers = PREFIX + path.format(**places), HEADERS.get((method, path))
        calls: Any = getattr(client, method)
        if FORM in content:
            required = content[FORM]["schema"]["required"]
            body = {name: loose("main.py", "x = 1") for name in required} | {NONSENSE: "1"}
            assert NONSENSE in refused_fields(calls(address, body)), path
            seen.append(FORM)
        elif JSON in content:
            response = calls(address, {NONSENSE: 1}, content_type=JSON)
            assert NONSENSE in refused_fields(response), path
            seen.append(JSON)
        elif method != "head" and not content:  # an answer to HEAD has no problem to read
            sent = {"content_type": JSON} if method != "get" else {}
            query = f"?{NONSENSE}=1{REQUIRED.get((method, path), '')}"
            response = calls(f"{address}{query}", headers=headers, **sent)
            assert refused_fields(response) == {NONSENSE}, (method, path)
            seen.append("query")
    assert (seen.count(FORM), seen.count(JSON) >= 9, seen.count("query") >= 30) == (3, True, True)


def test_every_request_schema_is_closed() -> None:
    document = api.get_openapi_schema()
    bodies = [content[JSON]["schema"]["$ref"].rpartition("/")[2] for *_, content in operations() if JSON in content]
    assert len(bodies) >= 9
    for name in bodies:
        assert document["components"]["schemas"][name]["additionalProperties"] is False, name


def test_creation_takes_every_field_that_a_change_takes() -> None:
    assert AssignmentIn.model_fields.keys() == AssignmentChange.model_fields.keys() - {"read_again"}
    assert CourseIn.model_fields.keys() == CourseChange.model_fields.keys()
    assert WebhookIn.model_fields.keys() == WebhookChange.model_fields.keys() | {"url"}


def test_an_assignment_is_created_with_all_of_its_settings(alice: User) -> None:
    client, kept = api_client(alice), {"keep_months": 24, "keep_sources_days": 30, "in_archive": True}
    course = send(client, "post", "/courses", {"name": "Algorithms", **kept}).json()
    assert course.items() >= kept.items()
    path = f"/courses/{course['id']}/assignments"
    first = send(client, "post", path, SETTINGS).json()
    assert first.items() >= SETTINGS.items()
    second = send(client, "post", path, {"name": "Trees", "compared_with": [first["id"]]}).json()
    assert (second["compared_with"], second["threshold"], second["due"]) == ([first["id"]], None, None)
    assert (
        send(client, "patch", f"/assignments/{first['id']}", {"compare_course": False}).json()["compare_course"]
        is False
    )


def test_nothing_is_created_where_a_setting_is_refused(alice: User) -> None:
    client, course = api_client(alice), Course.objects.create(owner=alice, name="Algorithms")
    for setting in (
        {"compare_archive": True},
        {"compared_with": [99]},
        {"threshold": 0},
        {"teams": "ada\nada"},
    ):
        refused = send(client, "post", f"/courses/{course.pk}/assignments", {"name": "Trees", **setting})
        assert refused_fields(refused) == {*setting}
    assert not Assignment.objects.exists()


def test_a_webhook_is_created_paused(alice: User) -> None:
    course = Course.objects.create(owner=alice, name="Algorithms")
    body = {"url": "https://93.184.216.34/", "events": ["report.ready"], "active": False}
    created = send(api_client(alice), "post", f"/courses/{course.pk}/webhooks", body).json()
    assert created["state"] == "paused"


OTHERS: dict[str, list[object]] = {
    "boolean": [0, 1, "true", "off", 0.0],
    "integer": ["3", True, 3.5],
    "string": [3, True, []],
    "array": ["3", {}, [True], [None], [3.5]],
}


def fields() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield the method, the path, the name and the schema of each field of each JSON body."""
    schemas = api.get_openapi_schema()["components"]["schemas"]
    for method, path, content in operations():
        if JSON in content:
            name = content[JSON]["schema"]["$ref"].rpartition("/")[2]
            for field, schema in schemas[name]["properties"].items():
                yield method, path, field, schema


def types_of(schema: dict[str, Any]) -> set[str]:
    """Return the types of a field, of which null can be one."""
    return {kind for one in schema.get("anyOf", [schema]) for kind in [one.get("type")] if kind}


@pytest.mark.parametrize("kind", OTHERS)
def test_every_field_refuses_values_of_other_types(world: World, kind: str) -> None:
    client, places = api_client(world.owner), api_places(world, world.owner)
    tried = 0
    for method, path, field, schema in fields():
        if types_of(schema) - {"null"} == {kind}:
            for value in OTHERS[kind]:
                response = getattr(client, method)(PREFIX + path.format(**places), {field: value}, content_type=JSON)
                assert response.status_code == 422, (method, path, field, value)
                refused = [part for one in problem_of(response)["errors"] for part in one["field"].split(".")]
                assert field in refused, (method, path, field, value)
                tried += 1
    assert tried >= len(OTHERS[kind]), kind


def test_a_number_is_no_date(world: World) -> None:
    path = f"{PREFIX}/assignments/{world.assignment.pk}"
    for value, status in (("3", 422), ("1796126400", 422), ("2026-12-01T12:00:00Z", 200)):
        response = api_client(world.owner).patch(path, {"due": value}, content_type=JSON)
        assert response.status_code == status, value


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
