"""Members and invitations by the API: the rules, mails and entries of the page about people."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from submissions.models import AuditEntry, Course, Invitation, Membership
from tests.support.api import api_client, problem_of, send

pytestmark = pytest.mark.services


@pytest.fixture
def course(alice: User) -> Course:
    return Course.objects.create(owner=alice, name="Algorithms")


@pytest.fixture
def tess(course: Course) -> Membership:
    user = User.objects.create_user("tess", first_name="Tess", last_name="Tan")
    return Membership.objects.create(course=course, user=user, role="assistant", group="cs-tutors")


def people(course: Course) -> list[tuple[str, str, str]]:
    """Return the entries of the log about a course."""
    rows = AuditEntry.objects.filter(course=course.name).order_by("pk")
    return list(rows.values_list("who", "action", "subject"))


def test_members_are_listed_changed_and_removed(course: Course, tess: Membership, alice: User) -> None:
    client, path = api_client(alice), f"/courses/{course.pk}/members"
    listed = send(client, "get", path).json()
    [member] = listed["items"]
    assert listed["owner"] == "alice"
    expected = {"id": tess.pk, "user": "tess", "name": "Tess Tan", "role": "assistant", "group": "cs-tutors"}
    assert member.items() >= expected.items()
    changed = send(client, "patch", f"{path}/{tess.pk}", {"role": "instructor"}).json()
    assert changed == member | {"role": "instructor", "group": ""}
    assert problem_of(send(client, "patch", f"{path}/{tess.pk}", {"role": "owner"}))["status"] == 422
    assert send(client, "delete", f"{path}/{tess.pk}").status_code == 204
    assert send(client, "get", path).json()["items"] == []
    assert problem_of(send(client, "delete", f"{path}/{tess.pk}"))["status"] == 404
    assert people(course) == [
        ("alice", "people", "tess: assistant; instructor"),
        ("alice", "people", "tess: instructor"),
    ]


def test_nobody_changes_their_own_role_but_may_leave(course: Course, tess: Membership) -> None:
    Membership.objects.update(role="instructor")
    path = f"/courses/{course.pk}/members/{tess.pk}"
    assert send(api_client(tess.user), "patch", path, {"role": "observer"}).status_code == 403
    assert send(api_client(tess.user, "read"), "delete", path).status_code == 403
    assert Membership.objects.get().role == "instructor"
    assert send(api_client(tess.user), "delete", path).status_code == 204
    assert not Membership.objects.exists()


def test_a_member_is_found_in_the_course_of_the_address_only(
    course: Course, tess: Membership, alice: User
) -> None:
    other = Course.objects.create(owner=alice, name="Trees")
    invitation = Invitation.objects.create(
        course=course, email="a@example.org", role="observer", invited_by=alice, expires=tess.created
    )
    client = api_client(alice)
    for method, place in (
        ("patch", f"members/{tess.pk}"),
        ("delete", f"members/{tess.pk}"),
        ("delete", f"invitations/{invitation.pk}"),
    ):
        body = {"role": "observer"} if method == "patch" else None
        assert send(client, method, f"/courses/{other.pk}/{place}", body).status_code == 404
        assert (
            send(
                api_client(alice, "write", [other]), method, f"/courses/{course.pk}/{place}", body
            ).status_code
            == 404
        )
    assert (Membership.objects.get().role, Invitation.objects.count()) == ("assistant", 1)


def test_an_invitation_is_made_mailed_accepted_and_withdrawn(
    course: Course, alice: User, settings: Settings, mailoutbox: list[Any]
) -> None:
    settings.MAIL = True
    client, path = api_client(alice), f"/courses/{course.pk}/invitations"
    created = send(client, "post", path, {"email": "ben@example.org", "role": "assistant"})
    assert (created.status_code, created.json()["mailed"]) == (201, True)
    url = created.json()["url"]
    assert url in mailoutbox[0].body
    ben = Client()
    ben.force_login(User.objects.create_user("ben"))
    assert ben.post(url.removeprefix("http://testserver")).status_code == 302
    assert [one["user"] for one in send(client, "get", f"/courses/{course.pk}/members").json()["items"]] == [
        "ben"
    ]
    second = send(client, "post", path, {"email": "cleo@example.org", "role": "observer"}).json()
    assert [one["id"] for one in send(client, "get", path).json()["items"]] == [second["id"]]
    assert send(client, "delete", f"{path}/{second['id']}").status_code == 204
    assert send(client, "get", path).json()["items"] == []
    assert people(course) == [
        ("alice", "people", "ben@example.org; assistant"),
        ("ben", "people", "ben@example.org: assistant; invited by alice"),
        ("alice", "people", "cleo@example.org; observer"),
        ("alice", "people", "cleo@example.org: observer"),
    ]


def test_the_link_is_for_who_made_the_invitation(course: Course, tess: Membership, alice: User) -> None:
    Membership.objects.update(role="instructor")
    path, body = f"/courses/{course.pk}/invitations", {"email": "ben@example.org", "role": "observer"}
    assert send(api_client(alice), "post", path, body).json()["mailed"] is False
    [seen] = send(api_client(tess.user), "get", path).json()["items"]
    assert (seen["invited_by"], seen["url"]) == ("alice", None)
    assert (
        problem_of(send(api_client(alice), "post", path, body | {"email": "ben"}))["errors"][0]["field"]
        == "email"
    )


def test_an_account_invites_so_many_in_an_hour_by_the_api_and_the_page(
    course: Course, alice: User, alice_client: Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.courses.forms.MOST_INVITATIONS", 3)
    Membership.objects.create(course=course, user=bob, role="instructor")
    path, page = f"/courses/{course.pk}/invitations", reverse("people", args=[course.pk])
    body = {"email": "a@example.org", "role": "observer"}
    for _ in range(2):
        created = send(api_client(alice), "post", path, body).json()
        send(api_client(alice), "delete", f"{path}/{created['id']}")
    assert alice_client.post(page, body).status_code == 302
    assert "Go on later" in problem_of(send(api_client(alice), "post", path, body))["detail"]
    assert alice_client.post(page, body).status_code == 422
    assert send(api_client(bob), "post", path, body).status_code == 201
    assert Invitation.objects.count() == 1


def test_what_an_administrator_changes_is_marked_as_such(
    course: Course, tess: Membership, admin: User
) -> None:
    client = api_client(admin)
    assert (
        send(client, "patch", f"/courses/{course.pk}/members/{tess.pk}", {"role": "observer"}).status_code
        == 403
    )
    assert send(client, "delete", f"/courses/{course.pk}/members/{tess.pk}").status_code == 204
    assert people(course) == [("admin", "people", "tess: assistant; as an administrator")]
