"""Notices of submissions: which are taken, and which assignment they belong to."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client
from django.utils import timezone

from moss.integrations.lti.models import AttachedActivity, PushedSubmission, UsedNonce
from submissions.models import Course, Job
from tests.support.platform import CLAIM

if TYPE_CHECKING:
    from tests.support.pushed import Pusher

pytestmark = pytest.mark.services

State = PushedSubmission.State


def test_a_notice_of_a_submission_is_stored_with_its_files(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"), pusher.asset("notes.txt", b"notes"))
    assert (row.assignment, row.subject, row.name) == (pusher.assignment, "student-1", "Student 1")
    assert (row.state, row.submission) == (State.WAITING, "submission-1")
    assert [(one["name"], one["size"]) for one in row.assets][1] == ("notes.txt", 5)
    assert row.submitted.isoformat() == "2026-03-01T10:00:00+00:00"


def test_a_notice_that_comes_twice_is_taken_once(pusher: Pusher) -> None:
    token = pusher.lms.server.sign(pusher.claims(1, pusher.asset("main.py")))
    for _ in range(2):
        assert pusher.send_tokens(token).json() == {"taken": 1, "refused": []}
    pusher.send(pusher.claims(1, pusher.asset("main.py")))
    assert PushedSubmission.objects.count() == 1


def test_a_notice_that_somebody_repeats_does_not_bring_back_what_was_erased(pusher: Pusher) -> None:
    token = pusher.lms.server.sign(pusher.claims(1, pusher.asset("main.py")))
    pusher.send_tokens(token)
    PushedSubmission.objects.all().delete()
    assert pusher.send_tokens(token).status_code == 200
    assert not PushedSubmission.objects.exists()


def test_a_second_notice_fetches_a_submission_again_only_if_it_failed(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"))
    PushedSubmission.objects.update(state=State.READ, batch=None)
    batch = pusher.assignment.batches.create(name="upload")
    PushedSubmission.objects.update(batch=batch)
    assert pusher.push(1, pusher.asset("other.py")).assets == row.assets
    PushedSubmission.objects.update(state=State.FAILED, problem="gone")
    row = pusher.push(1, pusher.asset("other.py"))
    assert (row.state, row.problem) == (State.WAITING, "")
    assert Job.objects.filter(kind="fetch_submission", subject=row.pk, attempts=0).exists()
    assert row.assets[0]["name"] == "other.py"


def test_the_good_notices_of_a_list_are_taken_whatever_the_others_are(pusher: Pusher) -> None:
    good = [pusher.lms.server.sign(pusher.claims(number, pusher.asset("main.py"))) for number in (1, 2)]
    response = pusher.send_tokens(good[0], "no token", good[1])
    assert response.status_code == 400
    assert response.json()["taken"] == 2
    assert [one["notice"] for one in response.json()["refused"]] == [1]
    assert PushedSubmission.objects.count() == 2


def test_other_notices_are_taken_and_change_nothing(pusher: Pusher) -> None:
    hello = {"id": "1", "timestamp": "2026-03-01T10:00:00Z", "type": "LtiHelloWorldNotice"}
    assert pusher.send(pusher.claims(1, notice=hello)).status_code == 200
    assert not PushedSubmission.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"iss": "https://evil.example"}, "not registered"),
        ({"aud": "another", "azp": "another"}, "not registered"),
        ({"iss": ""}, "not registered"),
        ({"aud": ["moss-client", "other"], "azp": None}, "azp"),
        ({"deployment_id": "another"}, "deployment"),
        ({"version": "1.1"}, "LTI"),
        ({"nonce": None}, "nonce"),
        ({"exp": int(time.time()) - 3600}, "expired"),
        ({"exp": int(time.time()) + 10 * 24 * 3600}, "longer"),
        ({"exp": None}, "exp"),
        ({"for_user": {}}, "for_user"),
        ({"for_user": {"user_id": "a\0b"}}, "for_user"),
        ({"submission": {"id": "x" * 300}}, "no submission"),
        ({"activity": {"id": "another"}}, "attach this service to it again"),
        ({"activity": None}, "attach this service to it again"),
        ({"custom": {"moss_assignment": "999999"}}, "attach this service to it again"),
        ({"assetservice": {"assets": [{}] * 201}}, "at most 200"),
    ],
)
def test_a_notice_that_is_not_as_it_has_to_be_is_refused(
    changes: dict[str, Any], words: str, pusher: Pusher
) -> None:
    response = pusher.send(pusher.claims(1, pusher.asset("main.py"), **changes))
    assert response.status_code == 400
    assert words in response.json()["refused"][0]["reason"]
    assert not PushedSubmission.objects.exists()


def test_a_notice_that_somebody_else_signed_is_refused(pusher: Pusher) -> None:
    claims = pusher.claims(1, pusher.asset("main.py"))
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key_id = {"kid": f"key-{pusher.lms.server.key_id}"}
    for token in (
        jwt.encode(claims, other, "RS256", headers=key_id),
        jwt.encode(claims, "a secret of no platform, long enough", "HS256", headers=key_id),
        jwt.encode(claims, "", "none", headers=key_id),
        pusher.lms.server.sign(claims)[:-5],
        "x" * 200_000,
    ):
        assert pusher.send_tokens(token).json()["taken"] == 0
    assert not PushedSubmission.objects.exists()
    assert pusher.send(claims).status_code == 200


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"notices": 7}', "[" * 10_000, json.dumps({"notices": [{}] * 101})]
)
def test_what_is_no_list_of_notices_is_refused(body: str, pusher: Pusher) -> None:
    assert Client().post("/lti/notices/", body, "application/json").status_code == 400


def encoded(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


DEEP, LONG = encoded("[" * 50_000), encoded('{"iss": ' + "9" * 5_000 + "}")
HEADER = encoded('{"alg": "RS256", "kid": "a"}')


@pytest.mark.django_db
@pytest.mark.parametrize(
    "token",
    ["\ud800", f"{DEEP}.e30.AA", f"{HEADER}.{DEEP}.AA", f"{HEADER}.{LONG}.AA"],
    ids=["a surrogate", "a deep header", "a deep payload", "a long number"],
)
def test_a_token_that_cannot_be_read_is_refused(token: str) -> None:
    body = json.dumps({"notices": [{"jwt": token}]})
    answer = Client().post("/lti/notices/", body, "application/json")
    assert answer.status_code == 400
    assert "no token" in answer.json()["refused"][0]["reason"]


@pytest.mark.parametrize("name", ["exp", "iat"])
def test_a_token_with_an_endless_time_is_refused(name: str, pusher: Pusher) -> None:
    claims = pusher.claims(1, pusher.asset("main.py"))
    assert pusher.send(claims | {name: float("inf")}).status_code == 400


def test_a_notice_reaches_no_assignment_that_it_only_names(pusher: Pusher) -> None:
    pusher.lms.launch(Client(), context={"id": "course-2", "title": "Other"}, sub="2")
    others = Course.objects.latest("pk").assignments.create(name="Sheet 9")
    custom = {"moss_assignment": str(others.pk)}
    for context in (None, {"id": "course-1"}, {"id": "course-2"}):
        changes = {"custom": custom, "context": context, "activity": {"id": "activity-2"}}
        assert pusher.send(pusher.claims(1, pusher.asset("main.py"), **changes)).status_code == 400
    assert not PushedSubmission.objects.exists()


def test_a_platform_that_named_no_activity_is_believed_by_course_and_assignment(pusher: Pusher) -> None:
    AttachedActivity.objects.update(activity="")
    claims = pusher.claims(1, pusher.asset("main.py"))
    assert pusher.send(claims).status_code == 400
    for course, status in (("course-9", 400), ("course-1", 200)):
        claims = pusher.claims(1, pusher.asset("main.py"), context={"id": course})
        assert pusher.send(claims).status_code == status
    assert PushedSubmission.objects.get().assignment == pusher.assignment


def test_an_activity_with_two_assignments_pushes_to_the_one_that_is_named(pusher: Pusher) -> None:
    second = pusher.assignment.course.assignments.create(name="Sheet 2")
    course = AttachedActivity.objects.get().platform_course
    AttachedActivity.objects.create(platform_course=course, activity="activity-1", assignment=second)
    assert pusher.push(1, pusher.asset("main.py")).assignment == pusher.assignment
    assert pusher.push(1, pusher.asset("main.py"), custom=None).assignment == second


def test_a_time_in_the_future_is_now_and_nonces_are_kept_until_their_notice_expires(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py", timestamp="2999-01-01T00:00:00"))
    assert row.submitted <= timezone.now()
    until = UsedNonce.objects.exclude(until=None).get().until
    assert until
    assert until > timezone.now() + timedelta(minutes=59)


def test_an_asset_that_is_none_is_passed_over(pusher: Pusher) -> None:
    claims = pusher.claims(1)
    claims[f"{CLAIM}assetservice"] = {"assets": ["x", {"asset_id": 7, "size": True, "url": "x" * 3000}]}
    assert pusher.send(claims).status_code == 200
    (asset,) = PushedSubmission.objects.get().assets
    assert (asset["asset_id"], asset["url"], asset["size"]) == ("", "", None)
