"""Django's admin has nothing of students, and the audit log has each of its changes."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import AuditEntry, Course

pytestmark = pytest.mark.django_db
# Apps whose tables have accounts of people who use the service, and what they sign in with.
ACCOUNTS = {"auth", "account", "socialaccount", "mfa", "axes", "moss_protocol", "accounts", "sites"}
PASSWORD = "a-long-enough-password"


@pytest.fixture
def root(admin: User, admin_client: Client) -> Client:
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    return admin_client


def subjects() -> list[str]:
    rows = AuditEntry.objects.filter(page="admin", who="admin", action="people").order_by("pk")
    return [*rows.values_list("subject", flat=True)]


def test_the_admin_has_accounts_alone() -> None:
    assert {model._meta.app_label for model in admin.site._registry} <= ACCOUNTS


def test_each_change_of_an_account_is_in_the_audit_log(root: Client, bob: User) -> None:
    new = {"username": "eve", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert root.post(reverse("admin:auth_user_add"), new).status_code == 302
    password = {"usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert root.post(f"/admin/auth/user/{bob.pk}/password/", password).status_code == 302
    sessions = {"action": "end_sessions", "_selected_action": [bob.pk]}
    assert root.post(reverse("admin:auth_user_changelist"), sessions).status_code == 302
    assert root.post(reverse("admin:auth_user_delete", args=[bob.pk]), {"post": "yes"}).status_code == 302
    assert not User.objects.filter(username="bob").exists()
    added, changed, ended, deleted = subjects()
    assert "eve" in added
    assert "assword" in changed
    assert ended == "ended all sessions: bob"
    assert "bob" in deleted


def test_several_rows_are_not_deleted_at_once(root: Client, bob: User) -> None:
    rows = {"action": "delete_selected", "_selected_action": [bob.pk], "post": "yes"}
    root.post(reverse("admin:auth_user_changelist"), rows)
    assert User.objects.filter(username="bob").exists()


def test_the_owner_of_a_course_is_not_deleted_with_it(root: Client, bob: User) -> None:
    course = Course.objects.create(owner=bob, name="Mine")
    assert root.post(reverse("admin:auth_user_delete", args=[bob.pk]), {"post": "yes"}).status_code == 403
    assert Course.objects.filter(pk=course.pk).exists()
