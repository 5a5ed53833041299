"""Accounts by the API: what an administrator may do with them, and what not."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django.fixtures import Settings

from submissions.models import Assignment, AuditEntry, Membership
from tests.support.api import api_client, client_with, problem_of, secret_of, send

pytestmark = pytest.mark.django_db
ADA = {"username": "ada", "email": "ada@example.org", "first_name": "Ada", "last_name": "Lovelace"}


def entries() -> list[tuple[str, str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("who", "subject", "page"))


def test_an_account_is_created_invited_listed_and_closed(admin: User, client: Client, settings: Settings) -> None:
    settings.PUBLIC_ORIGIN = "https://moss.example.org"
    caller = api_client(admin)
    created = send(caller, "post", "/accounts", ADA)
    assert created.status_code == 201
    path = f"/accounts/{created.json()['id']}"
    address = send(caller, "post", f"{path}/invitation").json()["address"]
    form = client.get(urlsplit(address).path, follow=True)
    chosen = {"password1": "lighthouse keeper 1811", "password2": "lighthouse keeper 1811"}
    client.post(form.redirect_chain[-1][0], chosen)
    ada = User.objects.get(username="ada")
    assert (ada.check_password("lighthouse keeper 1811"), ada.get_full_name()) == (True, "Ada Lovelace")
    of_ada = client_with(secret_of(ada))
    assert send(of_ada, "get", "/courses").status_code == 200
    assert problem_of(send(caller, "post", f"{path}/invitation"))["status"] == 409
    assert send(caller, "post", f"{path}/disable").json()["is_active"] is False
    assert send(of_ada, "get", "/courses").status_code == 401
    assert problem_of(send(caller, "post", f"{path}/disable"))["status"] == 404
    api = f"/api/v1{path}"
    assert [one for one in entries() if one[2].startswith("/api/v1/accounts")] == [
        ("admin", "created: ada", "/api/v1/accounts"),
        ("admin", "invited: ada", f"{api}/invitation"),
        ("admin", "closed: ada", f"{api}/disable"),
    ]


def test_an_invitation_by_mail_is_in_no_answer(admin: User, settings: Settings) -> None:
    settings.MAIL = True
    account = send(api_client(admin), "post", "/accounts", ADA).json()["id"]
    assert send(api_client(admin), "post", f"/accounts/{account}/invitation").json() == {"address": ""}
    assert [one.to for one in mail.outbox] == [["ada@example.org"]]


def test_nobody_is_invited_to_the_account_of_a_program(admin: User) -> None:
    program = User.objects.create_user("service:nightly")
    assert problem_of(send(api_client(admin), "post", f"/accounts/{program.pk}/invitation"))["status"] == 409


def test_no_answer_leads_into_an_account_with_roles(admin: User, assignment: Assignment) -> None:
    ada = User.objects.create_user("ada")
    Membership.objects.create(course=assignment.course, user=ada, role=Membership.Role.ASSISTANT)
    assert problem_of(send(api_client(admin), "post", f"/accounts/{ada.pk}/invitation"))["status"] == 409


def test_the_list_comes_in_parts(admin: User) -> None:
    for name in ("ada", "ben", "cleo"):
        User.objects.create_user(name)
    first = send(api_client(admin, "read"), "get", "/accounts?limit=3").json()
    rest = send(api_client(admin, "read"), "get", f"/accounts?limit=3&cursor={first['next']}").json()
    assert [one["username"] for one in first["items"] + rest["items"]] == ["admin", "ada", "ben", "cleo"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [({"username": "ADA"}, 409), ({"username": "a b"}, 422), ({"username": "eve", "is_staff": True}, 422)],
)
def test_what_is_no_new_account_is_refused(admin: User, body: dict[str, object], status: int) -> None:
    User.objects.create_user("ada")
    assert problem_of(send(api_client(admin), "post", "/accounts", body))["status"] == status
    assert not User.objects.filter(username="eve").exists()


def test_nobody_else_changes_accounts_and_nobody_those_of_administrators(admin: User, assignment: Assignment) -> None:
    other = User.objects.create_user("ben")
    path, course = f"/accounts/{other.pk}", assignment.course
    for caller in (api_client(course.owner), api_client(admin, "read"), api_client(admin, "write", [course])):
        assert problem_of(send(caller, "post", "/accounts", ADA))["status"] == 403
        for act in ("invitation", "disable"):
            assert problem_of(send(caller, "post", f"{path}/{act}"))["status"] == 403
    User.objects.filter(pk=other.pk).update(is_staff=True)
    for key in (admin.pk, other.pk):
        for act in ("invitation", "disable"):
            assert problem_of(send(api_client(admin), "post", f"/accounts/{key}/{act}"))["status"] == 403
    assert User.objects.filter(is_active=True, username__in=["admin", "ben"]).count() == 2
