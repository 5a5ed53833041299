"""Rules of every endpoint: problems, ETags, idempotency keys."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import Course
from tests.support.api import API, api_client, problem_of, send

pytestmark = pytest.mark.services

KEY = {"Idempotency_Key": "first"}


@pytest.fixture
def caller(alice: User) -> Client:
    return api_client(alice)


def test_every_error_is_a_problem(caller: Client) -> None:
    assert problem_of(send(caller, "get", "/nothing"))["status"] == 404
    assert problem_of(send(caller, "get", "/courses/7"))["status"] == 404
    assert problem_of(send(caller, "get", "/courses/99999999999999999999"))["status"] == 422
    assert problem_of(send(caller, "delete", "/courses"))["status"] == 405
    assert problem_of(send(caller, "post", "/courses", {}))["status"] == 422
    assert problem_of(send(caller, "post", "/courses", {"name": " "}))["errors"][0]["field"] == "name"
    too_large = caller.post(f"{API}/courses", b"x" * 3_000_000, content_type="application/json")
    assert problem_of(too_large)["status"] == 413
    broken = caller.post(f"{API}/courses", b"{", content_type="application/json")
    assert problem_of(broken)["status"] == 400


def test_an_error_of_the_service_is_a_problem_without_details(
    caller: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("submissions.courses.api.listed_courses", fail)
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
