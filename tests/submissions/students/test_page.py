"""The page on which an administrator exports or erases one student."""

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from submissions.models import Assignment, AuditEntry, Erasure
from tests.support.every_column import places_of
from tests.support.html import get_page, page_of
from tests.support.one_student import ID, NAME, TRACES, Planted
from tests.support.uploads import Committing

PAGE, REASON = "/department/students/", "Letter of 2 November."


def chosen(planted: Planted, act: str, **more: object) -> dict[str, object]:
    courses = [planted.first.course_id, planted.second.course_id]
    return {"student": NAME, "act": act, "courses": courses, "reason": REASON} | more


def test_a_student_is_found_by_id_with_all_that_there_is(planted: Planted, admin_client: Client) -> None:
    Assignment.objects.filter(pk=planted.first.pk).update(hold="Case 12")
    page = page_of(admin_client.post(PAGE, {"student": ID, "act": "find", "reason": REASON}))
    rows = page.rows("[aria-labelledby=found-heading] tbody tr")
    assert [row[0] for row in rows] == ["Compilers", "Programming 1"]
    assert [row[3] for row in rows] == ["1", "2"]
    text = page.text("main")
    assert "A hold protects Programming 1 / Statistics: Case 12" in text
    assert "1 submission of a group stays" in text
    entries = AuditEntry.objects.filter(who="admin", page="student_data").order_by("pk")
    assert [*entries.values_list("action", "course", "subject")] == [
        ("saw", course, f"{ID}: {REASON}") for course in ("Compilers", "Programming 1")
    ]


def test_nothing_is_found_without_a_reason(planted: Planted, admin_client: Client) -> None:
    answer = admin_client.post(PAGE, {"student": ID, "act": "find"})
    assert answer.status_code == 422
    assert NAME not in answer.content.decode()
    assert not AuditEntry.objects.filter(who="admin").exists()


def test_a_name_of_nobody_finds_nothing(planted: Planted, admin_client: Client) -> None:
    assert page_of(admin_client.post(PAGE, {"student": "Nobody", "act": "find", "reason": REASON})).has(".empty")


def test_owners_are_told_of_an_export(
    planted: Planted, admin_client: Client, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    settings.MAIL = True
    User.objects.filter(pk=planted.owner.pk).update(email="alice@example.org")
    admin_client.post(PAGE, chosen(planted, "export")).getvalue()
    assert [mail.to for mail in mailoutbox] == [["alice@example.org"]] * 2
    assert all(REASON in str(mail.body) and NAME not in str(mail.body) for mail in mailoutbox)


def test_an_export_is_downloaded_and_logged_with_the_reason(planted: Planted, admin_client: Client) -> None:
    answer = admin_client.post(PAGE, chosen(planted, "export"))
    archive = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    assert "data.json" in archive.namelist()
    entries = AuditEntry.objects.filter(page="export_student").order_by("pk")
    assert [*entries.values_list("who", "action", "address", "course", "subject")] == [
        ("admin", "exported", "127.0.0.1", course, f"{NAME}: {REASON}") for course in ("Compilers", "Programming 1")
    ]


@pytest.mark.long
def test_an_erasure_leads_to_a_receipt_that_can_be_downloaded(
    planted: Planted, admin_client: Client, committing: Committing
) -> None:
    with committing(execute=True):
        answer = admin_client.post(PAGE, chosen(planted, "erase"))
    receipt = Erasure.objects.get()
    assert answer.headers["Location"] == reverse("erasure", args=[receipt.pk])
    page = get_page(admin_client, answer.headers["Location"])
    assert "admin erased a student on" in page.text("main")
    assert ["submissions.Submission", "removed", "3"] in page.rows("tbody tr")
    document = json.loads(admin_client.get(reverse("receipt_file", args=[receipt.pk])).content)
    assert document["removed"]["submissions.Submission"] == 3
    entry = AuditEntry.objects.get(page="erase_student")
    assert (entry.action, entry.subject) == ("erased", f"receipt {receipt.pk}")
    assert places_of(TRACES) == set()
    again = page_of(admin_client.post(PAGE, {"student": ID, "act": "find", "reason": REASON}))
    assert f"A student of this name or id was erased: receipt {receipt.pk}" in again.text("main")


@pytest.mark.long
def test_without_a_reason_or_a_course_nothing_is_done(planted: Planted, admin_client: Client) -> None:
    for act in ("export", "erase"):
        refused: tuple[dict[str, object], ...] = ({"reason": ""}, {"reason": "short"}, {"courses": []})
        for missing in refused:
            assert admin_client.post(PAGE, chosen(planted, act, **missing)).status_code == 422
    assert not Erasure.objects.exists()
    assert not AuditEntry.objects.filter(who="admin").exclude(page="student_data").exists()


def test_several_students_of_a_name_take_an_id(planted: Planted, admin_client: Client) -> None:
    batch = planted.second.batches.filter(role="class")[0]
    for number in ("1111111", "2222222"):
        one = batch.submissions.create(name=f"{NAME} ({number})", identifier=number)
        one.students.create(name=NAME, identifier=number)
    answer = admin_client.post(PAGE, chosen(planted, "erase"))
    assert answer.status_code == 422
    assert "Several students of Compilers have this name" in page_of(answer).text("main")
    by_id = page_of(admin_client.post(PAGE, {"student": "1111111", "act": "find", "reason": REASON}))
    assert "3 other submissions have this name" not in by_id.text("main")
    assert [row[3] for row in by_id.rows("[aria-labelledby=found-heading] tbody tr")] == ["1"]
