"""Retention: what is deleted when, what stays, who was told before, and the holds that prevent it."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.operations import maintenance
from submissions.courses.retention import (
    apply_retention,
    assignments_with_sources,
    months_kept,
    source_days_kept,
)
from submissions.models import Assignment, AuditEntry, Batch, Course, Decision, Erasure, Membership, Report
from tests.moss.test_settings import settings_with
from tests.support.api import api_client, problem_of, send
from tests.support.every_page import World, address_of, addresses
from tests.support.html import get_page, page_of
from tests.support.withheld import Sealed

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(report: Report) -> Assignment:
    """An assignment of a course that keeps for 12 months, 13 months after its last upload."""
    Course.objects.update(keep_months=12)
    age(report.assignment, days=400)
    return report.assignment


def age(assignment: Assignment, days: int) -> None:
    before = timezone.now() - timedelta(days=days)
    Assignment.objects.filter(pk=assignment.pk).update(created=before)
    Batch.objects.filter(assignment=assignment).update(created=before)


def tell(assignment: Assignment, days: int) -> None:
    """Make the notice on an assignment so many days old."""
    apply_retention()
    notice = timezone.now() - timedelta(days=days)
    Assignment.objects.filter(pk=assignment.pk).update(retention_notice=notice)


def test_an_old_assignment_is_announced_first_and_deleted_30_days_later(old: Assignment) -> None:
    Course.objects.update(keep_months=None)
    apply_retention()
    assert Assignment.objects.get().retention_notice is None
    Course.objects.update(keep_months=12)
    tell(old, days=29)
    apply_retention()
    assert Assignment.objects.filter(pk=old.pk).exists()
    tell(old, days=31)
    apply_retention()
    assert not Assignment.objects.filter(pk=old.pk).exists()
    entry = AuditEntry.objects.get()
    assert (entry.who, entry.action, entry.assignment) == ("retention", "deleted", old.name)


@pytest.mark.usefixtures("lasting_day")
def test_the_page_of_the_course_says_when(old: Assignment, alice_client: Client) -> None:
    apply_retention()
    day = timezone.now() + timedelta(days=30)
    page = get_page(alice_client, old.course.get_absolute_url())
    assert f"will be deleted on {day.day} {day:%b %Y}" in page.text(".rows")


@pytest.mark.parametrize("change", ["upload", "decision", "hold", "longer", "for ever"])
def test_a_change_keeps_it_and_takes_a_notice_that_no_longer_holds_back(change: str, old: Assignment) -> None:
    tell(old, days=31)
    if change == "upload":
        Batch.objects.create(assignment=old, name="late.zip")
    elif change == "decision":
        Decision.objects.create(assignment=old, left="a", right="b")
    elif change == "hold":
        Assignment.objects.update(hold="An open case.")
    else:
        Course.objects.update(keep_months=24 if change == "longer" else None)
    apply_retention()
    old.refresh_from_db()
    assert (old.retention_notice is None) == (change not in {"hold", "for ever"})


def test_the_owner_sets_it_on_the_page_of_the_course(report: Report, alice_client: Client) -> None:
    course = report.assignment.course
    address = reverse("rename_course", args=[course.pk])
    alice_client.post(address, {"name": course.name, "keep_months": "18"})
    assert Course.objects.get().keep_months == 18
    refused = alice_client.post(address, {"name": course.name, "keep_months": "0"})
    assert (refused.status_code, Course.objects.get().keep_months) == (422, 18)
    assert page_of(refused).text(".error")


@pytest.mark.django_db(transaction=True)
def test_the_maintenance_process_carries_it_out(old: Assignment) -> None:
    tell(old, days=31)
    maintenance.maintain_once()
    assert not Assignment.objects.exists()


@pytest.fixture
def held(report: Report) -> Assignment:
    Assignment.objects.update(hold="Case 12.")
    return report.assignment


@pytest.mark.parametrize("kind", ["assignment", "batch", "course"])
def test_a_hold_prevents_deletion_and_says_why(kind: str, held: Assignment, alice_client: Client) -> None:
    keys = {"assignment": held.pk, "batch": held.batches.get().pk, "course": held.course_id}
    asked = reverse(f"delete_{kind}", args=[keys[kind]])
    page = get_page(alice_client, asked)
    assert f"A hold protects {held.course.name} / Statistics: Case 12." in page.text("main")
    assert not page.has("main button")
    answer = alice_client.post(asked)
    assert answer.status_code == 409
    assert "A hold protects Statistics, so nothing was deleted" in page_of(answer).text("main")
    assert Batch.objects.filter(assignment=held).exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("reader", ["administrator", "hidden", "other"])
def test_who_does_not_see_names_does_not_read_the_reason_of_a_hold(
    reader: str, sealed: Sealed, alice_client: Client, bob: User, bob_client: Client
) -> None:
    held = sealed.world.assignment
    Assignment.objects.filter(pk=held.pk).update(hold="An appeal of amara-okafor")
    client, asked = bob_client, reverse("delete_course", args=[held.course_id])
    if reader == "administrator":  # who stated no reason
        User.objects.filter(pk=bob.pk).update(is_staff=True)
    elif reader == "hidden":
        client = alice_client
        client.post(reverse("switch_names"), {"names": "made-up"})
    else:  # deletes old work that the report of another course has
        Membership.objects.create(course=sealed.old.course, user=bob, role="instructor")
        asked = reverse("delete_assignment", args=[sealed.old.pk])
    page = get_page(client, asked).text("main")
    assert f"A hold protects {held.course.name} / Statistics." in page
    assert "appeal" not in page + page_of(client.post(asked)).text("main")


def test_the_api_deletes_nothing_under_a_hold(held: Assignment, alice: User, alice_client: Client) -> None:
    caller = api_client(alice)
    for path in (f"/assignments/{held.pk}", f"/uploads/{held.batches.get().pk}"):
        problem = problem_of(send(caller, "delete", path))
        assert problem["status"] == 409
        assert problem["detail"].startswith("A hold protects Statistics, so nothing was deleted")
    assert Batch.objects.filter(assignment=held).exists()
    Assignment.objects.update(hold="")
    assert alice_client.post(reverse("delete_assignment", args=[held.pk])).status_code == 302
    assert not Assignment.objects.exists()


def test_old_work_in_the_report_of_a_held_assignment_stays(sealed: Sealed, alice_client: Client) -> None:
    held = sealed.world.assignment
    Assignment.objects.filter(pk=held.pk).update(hold="Case 12.")
    answer = alice_client.post(reverse("delete_assignment", args=[sealed.old.pk]))
    assert answer.status_code == 409
    Course.objects.update(keep_months=12)
    age(sealed.old, days=400)
    tell(sealed.old, days=31)
    apply_retention()
    assert Assignment.objects.filter(pk=sealed.old.pk).exists()
    Assignment.objects.update(hold="")
    apply_retention()
    tell(sealed.old, days=31)
    apply_retention()
    assert not Assignment.objects.filter(pk=sealed.old.pk).exists()


@pytest.mark.long
def test_pages_say_that_a_hold_keeps_an_assignment_and_lead_to_it(
    world: World, alice_client: Client, bob: User, bob_client: Client
) -> None:
    urls, settings = addresses(world), f"{address_of(world, 'assignment_settings')}#id_hold"
    assert settings not in get_page(alice_client, urls["course"]).links()
    page = page_of(alice_client.get(urls["case"], follow=True))
    assert "Keep from deletion" in page.texts(f'a[href="{settings}"]')
    alice_client.post(urls["assignment_settings"], {"name": world.assignment.name, "hold": "An appeal of amara-okafor"})
    assert settings in get_page(alice_client, urls["course"]).links()
    page = page_of(alice_client.get(urls["case"], follow=True))
    assert "Protected by a hold" in page.texts(f'a[href="{settings}"]')
    Membership.objects.create(course=world.assignment.course, user=bob, role="observer")
    assert "protected by a hold" in get_page(bob_client, urls["course"]).text("main")
    assert "appeal" not in get_page(bob_client, urls["assignment_settings"]).text("body")
    answer = send(api_client(bob), "get", f"/assignments/{world.assignment.pk}").json()
    assert (answer["hold"], answer["teams"]) == (None, None)


def settings_page(client: Client, course: Course) -> str:
    return get_page(client, reverse("rename_course", args=[course.pk])).text("main")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "service", "kept"),
    [
        (None, (0, 0), None),
        (18, (0, 0), 18),
        (None, (24, 0), 24),
        (18, (24, 0), 18),
        (None, (24, 36), 24),
        (60, (24, 36), 36),
        (None, (0, 36), 36),
        (12, (0, 36), 12),
    ],
)
@pytest.mark.parametrize(
    ("field", "setting", "counted"),
    [
        ("keep_months", "KEEP_MONTHS", months_kept),
        ("keep_sources_days", "KEEP_SOURCES_DAYS", source_days_kept),
    ],
    ids=["months", "days"],
)
def test_the_number_of_the_course_counts_within_the_most(
    *,
    field: str,
    setting: str,
    counted: Callable[[Course], int | None],
    chosen: int | None,
    service: tuple[int, int],
    kept: int | None,
    alice: User,
    settings: Settings,
) -> None:
    for name, value in zip((setting, f"{setting}_MOST"), service, strict=True):
        setattr(settings, name, value)
    assert counted(Course(owner=alice, name="Algorithms", **{field: chosen})) == kept


def test_the_default_deletes_after_a_notice(assignment: Assignment, settings: Settings) -> None:
    age = timezone.now() - timedelta(days=400)
    Assignment.objects.update(created=age)
    apply_retention()
    assert Assignment.objects.get().retention_notice is None
    settings.KEEP_MONTHS = 12
    apply_retention()
    assert Assignment.objects.get().retention_notice
    Assignment.objects.update(retention_notice=timezone.now() - timedelta(days=31))
    apply_retention()
    assert not Assignment.objects.exists()


def test_owners_read_what_holds(assignment: Assignment, alice_client: Client, settings: Settings) -> None:
    course = assignment.course
    assert "Empty: nothing is deleted." in settings_page(alice_client, course)
    assert "are deleted" not in get_page(alice_client, course.get_absolute_url()).text("main")
    settings.KEEP_MONTHS, settings.KEEP_MONTHS_MOST, settings.BACKUP_DAYS = 24, 36, 30
    page = settings_page(alice_client, course)
    assert "This service keeps assignments for at most 36 months." in page
    assert "Empty: 24 months, as in all courses that state no number." in page
    assert "Backups are deleted after 30 days." in page
    overview = get_page(alice_client, course.get_absolute_url()).text("main")
    assert "Assignments are deleted 24 months after their last upload or decision." in overview


def test_more_than_the_most_is_refused_and_what_was_stored_stays(
    alice: User, alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    Course.objects.update(keep_months=60)
    settings.KEEP_MONTHS_MOST = 36
    page, course = reverse("rename_course", args=[assignment.course_id]), f"/courses/{assignment.course_id}"
    form = {"name": "Renamed", "in_archive": "False"}
    refused = page_of(alice_client.post(page, form | {"keep_months": "48"}))
    assert "This service keeps assignments for at most 36 months." in refused.text(".error")
    assert alice_client.post(page, form | {"keep_months": "60"}).status_code == 302
    answer = send(api_client(alice), "patch", course, {"name": "Again"}).json()
    assert (answer["name"], answer["keep_months"], answer["months_kept"]) == ("Again", 60, 36)
    problem = problem_of(send(api_client(alice), "patch", course, {"keep_months": 37}))
    assert problem["errors"][0]["field"] == "keep_months"


def test_a_receipt_says_when_backups_are_deleted(admin_client: Client, settings: Settings) -> None:
    settings.BACKUP_DAYS = 30
    erasure = Erasure.objects.create(who="admin", reason="A letter.")
    assert admin_client.get(reverse("receipt_file", args=[erasure.pk])).json()["backup_days"] == 30
    text = get_page(admin_client, reverse("erasure", args=[erasure.pk])).text("main")
    assert "Backups are deleted after 30 days." in text


@pytest.mark.parametrize("name", ["MOSS_KEEP_MONTHS", "MOSS_KEEP_SOURCES_DAYS"])
def test_a_default_above_the_most_is_refused_at_the_start(tmp_path: Path, name: str) -> None:
    refused = settings_with(tmp_path, **{name: "48", f"{name}_MOST": "36"})
    assert refused.returncode != 0
    assert f"{name} is more than {name}_MOST." in refused.stderr


def test_the_default_of_days_ends_the_sources_of_every_course(report: Report, settings: Settings) -> None:
    assert list(assignments_with_sources()) == []
    settings.KEEP_SOURCES_DAYS = 30
    [row] = assignments_with_sources()
    assert row.assignment == report.assignment
    assert report.finished
    assert row.ends == report.finished + timedelta(days=30)


def test_owners_read_how_long_sources_are_kept_and_cannot_exceed_it(
    assignment: Assignment, alice: User, alice_client: Client, settings: Settings
) -> None:
    course = assignment.course
    assert "Empty: sources stay as long as the assignment." in settings_page(alice_client, course)
    settings.KEEP_SOURCES_DAYS, settings.KEEP_SOURCES_DAYS_MOST = 30, 90
    page = settings_page(alice_client, course)
    assert "This service keeps sources for at most 90 days." in page
    assert "Empty: 30 days, as in all courses that state no number." in page
    overview = get_page(alice_client, course.get_absolute_url()).text("main")
    assert "Sources that are no evidence are deleted 30 days after the last report." in overview
    client, place = api_client(alice), f"/courses/{course.pk}"
    problem = problem_of(send(client, "patch", place, {"keep_sources_days": 91}))
    assert problem["errors"][0]["field"] == "keep_sources_days"
    answer = send(client, "patch", place, {"keep_sources_days": 45}).json()
    assert (answer["keep_sources_days"], answer["source_days_kept"]) == (45, 45)
