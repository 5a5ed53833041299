"""`moss token`: tokens of any account, and of programs without a person, from the command line."""

import subprocess
import sys

import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from moss.commands.operations import token
from submissions.models import ApiToken, Assignment, AuditEntry, Course, Membership
from tests.conftest import PASSWORD
from tests.support.api import client_with, secret_of, send
from tests.support.campus import Campus
from tests.support.html import get_page

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code, what was printed, and what was said besides."""
    result = CliRunner().invoke(token, arguments)
    return result.exit_code, result.stdout.strip(), result.stderr.strip()


def audited() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", "subject"))


def test_a_service_account_uses_its_course_and_no_other(alice: User, assignment: Assignment) -> None:
    course, other = assignment.course, Course.objects.create(owner=alice, name="Other")
    scoped = ("--name", "upload", "--scope", "write", "--course", str(course.pk))
    status, secret, said = run("create", "service:nightly", *scoped)
    assert (status, f"Token {ApiToken.objects.get().pk} of service:nightly" in said) == (0, True)
    client = client_with(secret)
    assert send(client, "patch", f"/courses/{course.pk}", {"name": "Renamed"}).status_code == 200
    assert send(client, "get", f"/courses/{other.pk}").status_code == 404
    assert send(client, "post", "/courses", {"name": "New"}).status_code == 403
    assert AuditEntry.objects.latest("pk").who == "service:nightly"
    assert [what for what, _ in audited()] == ["people", "tokens", "course"]
    assert audited()[0][1] == "service:nightly: instructor"
    assert "created: upload (moss_" in audited()[1][1]
    assert secret not in str(audited())


def test_nobody_signs_in_to_a_service_account(client: Client) -> None:
    assert run("create", "service:nightly", "--name", "upload")[0] == 0
    user = User.objects.get(username="service:nightly")
    assert (user.has_usable_password(), user.email, user.is_staff) == (False, "", False)
    form = {"username": "service:nightly", "password": PASSWORD}
    assert client.post(reverse("login"), form).status_code != 302


def test_no_person_gets_the_name_of_a_service_account(admin: User, campus: Campus, client: Client) -> None:
    campus.sign_in(Client(), "service:nightly")
    assert not User.objects.get(pk__gt=admin.pk).username.startswith("service")
    client.force_login(admin)
    form = {"username": "service:nightly", "password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("admin:auth_user_add"), form)
    assert not User.objects.filter(username="service:nightly").exists()


def test_people_of_a_course_see_its_service_account(alice_client: Client, assignment: Assignment) -> None:
    course = assignment.course
    chosen = ("--course", str(course.pk), "--role", "observer")
    assert run("create", "service:nightly", "--name", "figures", *chosen)[0] == 0
    assert Membership.objects.get(course=course).role == "observer"
    assert "service:nightly" in get_page(alice_client, reverse("people", args=[course.pk])).text("main")


def test_a_token_of_a_person_is_listed_and_revoked(alice: User, bob: User) -> None:
    secret, kept = run("create", "alice", "--name", "script", "--days", "7")[1], secret_of(bob)
    pk = ApiToken.objects.get(user=alice).pk
    assert f"{pk}  alice  script  moss_" in run("list")[1]
    assert run("list")[1].count("\n") == 1
    assert "bob" not in run("list", "alice")[1]
    assert "courses: all" in run("list", "alice")[1]
    assert run("revoke", str(pk)) == (0, "1 revoked.", "")
    assert send(client_with(secret), "get", "/courses").status_code == 401
    assert run("revoke", "--account", "bob")[0] == 0
    assert send(client_with(kept), "get", "/courses").status_code == 401
    assert [what for what, _ in audited()] == ["tokens"] * 3
    assert run("list")[1] == ""


def test_what_cannot_be_is_refused(alice: User, bob: User, assignment: Assignment) -> None:
    course = str(assignment.course_id)
    for arguments, reason in (
        (("create", "nobody", "--name", "x"), "There is no account 'nobody'"),
        (("create", "bob", "--name", "x", "--course", course), f"bob may not read course {course}."),
        (("create", "alice", "--name", "x", "--course", "0"), "There is no course 0."),
        (("create", "service:", "--name", "x"), "A service account is named as service:nightly"),
        (("create", "service:a b", "--name", "x"), "A service account is named as service:nightly"),
        (("revoke", "9"), "There is no such token: 9."),
        (("revoke",), "Name the ids of tokens, or an account"),
    ):
        status, printed, said = run(*arguments)
        assert (status > 0, printed, reason in said) == (True, "", True), (arguments, said)
    assert not ApiToken.objects.exists()


def test_a_closed_service_account_gets_no_token() -> None:
    run("create", "service:nightly", "--name", "upload")
    User.objects.update(is_active=False)
    assert "was closed" in run("create", "service:nightly", "--name", "again")[2]


def test_tokens_of_the_page_are_in_the_audit_log(alice: User, alice_client: Client) -> None:
    form = {"name": "nightly", "scope": "write", "lasting": "30", "password": PASSWORD}
    page = reverse("api_tokens")
    alice_client.post(page, form)
    key = str(ApiToken.objects.get().pk)
    alice_client.post(page, {"revoke_chosen": "1", "old-revoke": key, "old-password": PASSWORD})
    created, revoked = (subject for _, subject in audited())
    assert created.startswith("created: nightly (moss_")
    assert revoked.startswith("revoked: nightly (moss_")
    assert ", write, until " in created


def test_the_command_is_one_of_moss() -> None:
    command = [sys.executable, "-m", "moss", "token", "--help"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "revoke" in listed.stdout
