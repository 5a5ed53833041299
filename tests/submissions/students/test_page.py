"""The page on which an administrator exports or erases one student."""

import io
import json
import zipfile

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import models
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from submissions.models import Assignment, AuditEntry, Erasure
from submissions.students.finding import Likeness
from submissions.students.register import OTHER_APPS, REGISTER
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


# Columns that can hold a text, or what follows from one.
KINDS = (
    models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField,
    models.GenericIPAddressField,
)  # fmt: skip


def columns_of(model: type[models.Model]) -> set[str]:
    return {column.name for column in model._meta.concrete_fields if isinstance(column, KINDS)}


MODELS = [model for model in apps.get_models(include_auto_created=True) if columns_of(model)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_column_that_can_hold_a_name_is_cleaned_or_declared_free(model: type[models.Model]) -> None:
    table = REGISTER.get(model._meta.label)
    if table is None:
        assert OTHER_APPS[model._meta.app_label]
        assert model._meta.app_label != "submissions"
        return
    listed = [*table.rows, *table.searched, *table.free]
    assert sorted(listed) == sorted(columns_of(model))
    assert bool(table.free) == bool(table.why)


def test_the_register_has_no_table_that_does_not_exist() -> None:
    assert set(REGISTER) <= {model._meta.label for model in MODELS}


ASKED = Likeness(frozenset({"Zoë Müller-Quartz"}), frozenset({"00771234", "zmq@example.edu"}))


@pytest.mark.parametrize(
    "name",
    [
        "ZOE MUELLER QUARTZ", "zoe_muller_quartz", "Müller-Quartz, Zoë", "quartz.zoe.mueller",
        "quartzzoemuller", "Zoe Muller Quartz 2", "Zoe\u0308 Mu\u0308ller-Quartz",
    ],
)  # fmt: skip
def test_case_accents_order_and_separators_make_no_other_name(name: str) -> None:
    assert ASKED.is_same_words(name)
    assert ASKED.is_near(name, "")


@pytest.mark.parametrize(
    "name",
    [
        "hw1_zoe_muller_quartz.py", "Zoe Anna Muller Quartz", "Z. Müller-Quartz", "quartz_calculator",
        "Zoe.zip", "771234", "hw 771234", "zmq", "task1_zmq",
    ],
)  # fmt: skip
def test_names_with_more_or_less_are_near_and_not_the_same(name: str) -> None:
    assert ASKED.is_near(name, "")
    assert not ASKED.is_same_words(name)


def test_an_id_is_near_with_other_zeros_and_case() -> None:
    assert ASKED.is_near("Somebody Else", "771234")
    assert ASKED.is_near("Somebody Else", "ZMQ@EXAMPLE.EDU")
    assert not ASKED.is_near("Somebody Else", "7712345")


@pytest.mark.parametrize(
    "name", ["Zoë Schmidt", "Anna Müller", "Ada Quartz", "calculator.py", "Submission 3", "z", "", "12"]
)
def test_names_of_others_are_not_near(name: str) -> None:
    assert not ASKED.is_near(name, "")


def test_the_login_of_a_name_is_near() -> None:
    asked = Likeness(frozenset({"Zebulon Quartzovsky"}), frozenset())
    for login in ("zquartzovsky", "quartzovskyz", "hw1-zquartzovsky"):
        assert asked.is_near(login, "")
    assert not asked.is_near("aquartzovsky", "")


def test_the_first_letter_before_an_accent_is_no_initial() -> None:
    asked = Likeness(frozenset({"Zoë Müller"}), frozenset())
    assert asked.is_near("Zoë M.", "")
    assert not asked.is_near("Zoë Möhring", "")


def test_every_near_name_without_accents_has_a_fragment() -> None:
    for name in ("zoe_muller_quartz", "quartzzoemueller", "Z. Muller-Quartz", "771234", "task1_zmq"):
        assert any(one in name.lower() for one in ASKED.fragments)
