"""A default and a maximum for how long assignments are kept, in all courses; and the age of backups."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.courses.retention import (
    apply_retention,
    assignments_with_sources,
    months_kept,
    source_days_kept,
)
from submissions.models import Assignment, Course, Erasure, Report
from tests.moss.test_settings import settings_with
from tests.support.api import api_client, problem_of, send
from tests.support.html import get_page, page_of


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
def test_the_number_of_the_course_counts_within_the_most(
    chosen: int | None, service: tuple[int, int], kept: int | None, alice: User, settings: Settings
) -> None:
    settings.KEEP_MONTHS, settings.KEEP_MONTHS_MOST = service
    assert months_kept(Course(owner=alice, name="Algorithms", keep_months=chosen)) == kept


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


def test_a_default_above_the_most_is_refused_at_the_start(tmp_path: Path) -> None:
    refused = settings_with(tmp_path, MOSS_KEEP_MONTHS="48", MOSS_KEEP_MONTHS_MOST="36")
    assert refused.returncode != 0
    assert "MOSS_KEEP_MONTHS is more than MOSS_KEEP_MONTHS_MOST." in refused.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "service", "kept"),
    [
        (None, (0, 0), None),
        (60, (0, 0), 60),
        (None, (30, 0), 30),
        (60, (30, 90), 60),
        (120, (30, 90), 90),
        (None, (0, 90), 90),
    ],
)
def test_the_days_of_the_course_count_within_the_most(
    chosen: int | None, service: tuple[int, int], kept: int | None, alice: User, settings: Settings
) -> None:
    settings.KEEP_SOURCES_DAYS, settings.KEEP_SOURCES_DAYS_MOST = service
    assert source_days_kept(Course(owner=alice, name="Algorithms", keep_sources_days=chosen)) == kept


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


def test_a_default_of_days_above_the_most_is_refused_at_the_start(tmp_path: Path) -> None:
    refused = settings_with(tmp_path, MOSS_KEEP_SOURCES_DAYS="91", MOSS_KEEP_SOURCES_DAYS_MOST="90")
    assert refused.returncode != 0
    assert "MOSS_KEEP_SOURCES_DAYS is more than MOSS_KEEP_SOURCES_DAYS_MOST." in refused.stderr
