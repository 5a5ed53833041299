"""The audit log: what is written, by whom, and that nobody can change it."""

import csv
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.audit.log import ACTIONS
from submissions.courses import change as people
from submissions.models import AuditEntry, Course
from tests.support.api import api_client, send
from tests.support.every_page import INVITATIONS, PUBLIC, World, address_of, addresses, patterns
from tests.support.html import get_page, page_of

# Addresses that show, change or delete no work of one student: lists, settings, progress, one's own account.
LEFT_OUT = {
    "account", "activity", "add_boilerplate", "add_listed_roster", "assignment",
    "audit_log", "batch", "batch_preview", "batch_progress", "boilerplate_progress", "cancel_batch",
    "cancel_ranking", "cancel_repository_fetch", "change_password", "choose_mail", "count_rule",
    "course", "courses", "delete_unfinished",
    "department", "dismiss_boilerplate_upload", "dismiss_hint", "filter_listed", "group_batch",
    "choose_lines", "ignore_lines", "ignore_passage", "ignored", "ignoring", "next_case", "next_undecided",
    "compare_with", "matrix",
    "pairs", "propose_starter", "read_again",
    "remove_boilerplate", "repeat_delivery", "repositories_not_again", "rerank", "retry_batch",
    "retry_report", "service", "service_now", "shared_ignored", "shared_pairs", "students",
    "switch_language", "switch_names", "switch_theme", "test_webhook", "uploads",
    # The acts on one student are logged by the view, with what was chosen; receipts name nobody.
    "student_data", "erasure", "receipt_file",
    # So are tokens.
    "api_tokens", "all_tokens",
}  # fmt: skip
# Apps whose tables have accounts of people who use the service, and what they sign in with.
ACCOUNTS = {"auth", "account", "socialaccount", "mfa", "axes", "moss_protocol", "accounts", "sites"}
PASSWORD = "a-long-enough-password"


def entries() -> list[tuple[str, str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("who", "action", "subject"))


def test_every_address_is_logged_or_left_out() -> None:
    logged = {name for _method, name in ACTIONS}
    assert logged | LEFT_OUT == {*patterns()}
    assert not logged & LEFT_OUT


def test_who_opens_a_pair_a_case_and_a_submission_is_logged(world: World, alice_client: Client) -> None:
    for name in ("pair", "case", "submission"):
        alice_client.get(address_of(world, name), follow=True)
    left, right = sorted((world.pair.left.name, world.pair.right.name))
    assert ("alice", "saw", f"{left}; {right}") in entries()
    assert len(entries()) == 3
    entry = AuditEntry.objects.latest("pk")
    assert (entry.course, entry.assignment) == (world.assignment.course.name, world.assignment.name)
    assert entry.address == "127.0.0.1"


def test_who_uploads_opens_or_deletes_the_roster_is_logged_with_that_word(world: World, alice_client: Client) -> None:
    urls = addresses(world)
    for text in ("no student\n", "name\nAda\n"):
        alice_client.post(urls["roster"], {"file": SimpleUploadedFile("class.csv", text.encode())})
    alice_client.get(urls["roster"])
    alice_client.post(urls["remove_roster"])
    assert entries() == [("alice", act, "roster") for act in ("uploaded", "saw", "deleted")]


def test_a_decision_an_export_and_a_share_are_logged(world: World, alice_client: Client) -> None:
    urls = addresses(world)
    ids = sorted((world.pair.left_id, world.pair.right_id))
    sent = {"state": "clear", "notes": "", "seen": 0, "decided_on": f"{ids[0]}-{ids[1]}"}
    alice_client.post(urls["decide"], sent)
    alice_client.get(urls["table"])
    alice_client.get(urls["export_pair"], follow=True)
    alice_client.post(urls["shares"], {"lasting": "week"})
    assert [action for _who, action, _subject in entries()] == ["decided", "exported", "shared"]


@pytest.mark.long
def test_what_is_refused_or_does_not_exist_is_not_logged(world: World, charlie_client: Client, client: Client) -> None:
    for visitor in (charlie_client, client):
        for name, url in addresses(world).items():
            if name not in {*PUBLIC, *INVITATIONS}:
                visitor.get(url)
                visitor.post(url)
    assert entries() == []


def test_an_upload_is_logged_with_the_names_of_its_files(world: World, alice_client: Client) -> None:
    url = address_of(world, "upload")
    for names in (["class.zip"], ["late.zip", "later.zip"], []):
        files = [SimpleUploadedFile(name, b"x = 1") for name in names]
        alice_client.post(url, {"files": files, "role": "class"})
    assert entries() == [("alice", "uploaded", "class.zip"), ("alice", "uploaded", "late.zip and 1 more")]
    assert {entry.assignment for entry in AuditEntry.objects.all()} == {world.assignment.name}


def test_a_deletion_is_logged_with_what_was_deleted(world: World, alice_client: Client) -> None:
    batch, assignment, course = world.batch.name, world.assignment.name, world.assignment.course.name
    urls = addresses(world)
    for name in ("delete_batch", "delete_assignment", "delete_course"):
        alice_client.post(urls[name])
    rows = AuditEntry.objects.order_by("pk").values_list("action", "course", "assignment", "subject")
    assert list(rows) == [
        ("deleted", course, assignment, batch),
        ("deleted", course, assignment, ""),
        ("deleted", course, "", ""),
    ]


def test_a_reader_of_a_share_link_is_logged_by_the_link(world: World, client: Client) -> None:
    client.get(address_of(world, "shared_pair"))
    assert [(who, action) for who, action, _subject in entries()] == [(f"link {world.share.pk}", "saw")]


def test_a_stated_reason_is_logged_with_its_text(world: World, admin_client: Client) -> None:
    admin_client.post(address_of(world, "state_reason"), {"reason": "An appeal, case 7."})
    assert entries() == [("admin", "reason", "An appeal, case 7.")]


def test_what_happens_to_people_is_logged_with_whom_and_the_role(
    world: World, alice_client: Client, bob_client: Client
) -> None:
    urls = addresses(world)
    sent = {"email": "bob@example.org", "role": "assistant"}
    alice_client.post(urls["people"], sent)
    invitation = world.assignment.course.invitations.get(email="bob@example.org")
    bob_client.post(reverse("invitation", args=[people.invitation_token(invitation)]))
    alice_client.post(urls["change_role"], {"role": "observer"})
    alice_client.post(urls["withdraw_invitation"])
    alice_client.post(urls["add_group"], {"group": "tutors", "role": "observer"})
    alice_client.post(urls["remove_group"])
    assert {action for _who, action, _subject in entries()} == {"people"}
    assert [(who, subject) for who, _action, subject in entries()] == [
        ("alice", "bob@example.org; assistant"),
        ("bob", "bob@example.org: assistant; invited by alice"),
        ("alice", "tess: assistant; observer"),
        ("alice", "olga@example.org: observer"),
        ("alice", "tutors; observer"),
        ("alice", "cs-tutors: assistant"),
    ]
    assert {entry.course for entry in AuditEntry.objects.all()} == {world.assignment.course.name}


def test_changes_of_what_is_kept_are_logged(world: World, alice_client: Client) -> None:
    urls, name = addresses(world), world.assignment.name
    alice_client.post(urls["rename_course"], {"name": "Renamed", "keep_months": "24", "in_archive": "False"})
    for hold in ("An appeal.", ""):
        assert alice_client.post(urls["assignment_settings"], {"name": name, "hold": hold}).status_code == 302
    assert entries() == [
        ("alice", "course", "keep_months: 24; keep_sources_days: ; in_archive: False"),
        ("alice", "course", "hold: An appeal.; compare_archive: False; threshold: "),
        ("alice", "course", "hold: ; compare_archive: False; threshold: "),
    ]
    assert AuditEntry.objects.latest("pk").assignment == name


def test_a_change_that_waits_to_be_confirmed_is_not_logged(world: World, alice_client: Client) -> None:
    sent = {"name": world.assignment.name, "language": "java"}
    assert alice_client.post(address_of(world, "assignment_settings"), sent).status_code == 200
    assert entries() == []


@pytest.mark.parametrize(
    "change", ["UPDATE submissions_auditentry SET who = 'x'", "DELETE FROM submissions_auditentry"]
)
def test_the_database_refuses_to_change_an_entry(change: str, world: World, alice_client: Client) -> None:
    alice_client.get(address_of(world, "submission"))
    before = entries()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(change)
    assert entries() == before


def test_administrators_search_the_log(world: World, alice_client: Client, admin_client: Client) -> None:
    alice_client.get(address_of(world, "submission"))
    alice_client.get(address_of(world, "table"))
    log = reverse("audit_log")
    assert len(get_page(admin_client, log).all("tbody tr")) == 2
    assert len(get_page(admin_client, log, action="exported").all("tbody tr")) == 1
    assert get_page(admin_client, log, q="nobody at all").has(".empty")


def test_names_in_the_log_are_shown_to_who_may_see_them_in_the_course(
    world: World, alice_client: Client, admin: User, admin_client: Client
) -> None:
    alice_client.get(address_of(world, "submission"))
    name, log = world.pair.left.name, reverse("audit_log")
    program, file = api_client(admin, "read"), reverse("audit_file", args=["jsonl"])

    def shown() -> list[str]:
        return [
            get_page(admin_client, log).text("tbody"),
            get_text(admin_client, file),
            send(program, "get", "/audit").content.decode(),
        ]

    assert not any(name in text for text in shown())
    assert get_page(admin_client, log, q=name).has(".empty")
    assert send(program, "get", f"/audit?q={name}").json()["items"] == []
    people.state_reason(world.assignment.course, admin, "An appeal, case 7.")
    assert all(name in text for text in shown())
    assert get_page(admin_client, log, q=name).texts("tbody th") == ["alice"]
    AuditEntry.objects.create(who="alice", action="saw", course="A deleted course", subject=name, page="pair")
    assert len(get_page(admin_client, log, q=name).all("tbody tr")) == 1


def get_text(client: Client, address: str, **query: str) -> str:
    """Return the text of a download."""
    answer: Any = client.get(address, query)
    return b"".join(answer.streaming_content).decode()


@pytest.mark.usefixtures("lasting_day")
def test_administrators_choose_days_of_the_log(world: World, alice_client: Client, admin_client: Client) -> None:
    alice_client.get(address_of(world, "table"))
    today = timezone.localdate()
    log, tomorrow, yesterday = reverse("audit_log"), today + timedelta(days=1), today - timedelta(days=1)
    for name, chosen, number in (
        ("since", today, 1), ("until", today, 1), ("since", tomorrow, 0), ("until", yesterday, 0),
    ):  # fmt: skip
        assert len(get_page(admin_client, log, **{name: chosen.isoformat()}).all("tbody tr")) == number
    assert len(get_page(admin_client, log, since="no day").all("tbody tr")) == 1


def test_the_log_is_exported_with_its_digests_and_that_is_logged(
    world: World, alice_client: Client, admin_client: Client
) -> None:
    alice_client.get(address_of(world, "submission"))
    alice_client.get(address_of(world, "table"))
    place = reverse("audit_file", args=["jsonl"])
    line, exported = map(json.loads, get_text(admin_client, place, action="exported").splitlines())
    entry = AuditEntry.objects.get(action="exported", who="alice")
    assert (line["who"], line["number"], line["digest"]) == ("alice", entry.number, entry.digest)
    assert line["created"] == entry.created.isoformat()
    assert (exported["who"], exported["subject"]) == ("admin", "audit log")
    assert ("admin", "exported", "audit log") in entries()
    table = get_text(admin_client, reverse("audit_file", args=["csv"]))
    rows = list(csv.DictReader(table.splitlines()))
    assert [row["who"] for row in rows] == ["alice", "alice", "admin", "admin"]
    assert rows[0]["number"] == "1"
    assert admin_client.get(reverse("audit_file", args=["pdf"])).status_code == 404
    assert alice_client.get(place).status_code == 404


@pytest.fixture
def root(admin: User, admin_client: Client) -> Client:
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    return admin_client


def subjects() -> list[str]:
    rows = AuditEntry.objects.filter(page="admin", who="admin", action="people").order_by("pk")
    return [*rows.values_list("subject", flat=True)]


@pytest.mark.django_db
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


@pytest.mark.parametrize("kept", ["is_active", "is_staff"])
def test_the_last_administrator_who_can_sign_in_stays_one(root: Client, admin: User, bob: User, kept: str) -> None:
    page = reverse("admin:auth_user_change", args=[admin.pk])
    form = {"username": "admin", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    form |= {"date_joined_0": "2026-12-01", "date_joined_1": "12:00:00"}
    without = {name: value for name, value in form.items() if name != kept}
    refused = page_of(root.post(page, without))
    assert "No administrator could sign in any more: nothing was changed." in refused.text(".errorlist")
    assert root.post(reverse("admin:auth_user_delete", args=[admin.pk]), {"post": "yes"}).status_code == 403
    assert root.post(page, form).status_code == 302
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    assert root.post(page, without).status_code == 302
    assert not getattr(User.objects.get(pk=admin.pk), kept)


def test_several_rows_are_not_deleted_at_once(root: Client, bob: User) -> None:
    rows = {"action": "delete_selected", "_selected_action": [bob.pk], "post": "yes"}
    root.post(reverse("admin:auth_user_changelist"), rows)
    assert User.objects.filter(username="bob").exists()


def test_the_owner_of_a_course_is_not_deleted_with_it(root: Client, bob: User) -> None:
    course = Course.objects.create(owner=bob, name="Mine")
    assert root.post(reverse("admin:auth_user_delete", args=[bob.pk]), {"post": "yes"}).status_code == 403
    assert Course.objects.filter(pk=course.pk).exists()
