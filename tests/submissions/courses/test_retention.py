"""Retention: what is deleted, when, and who was told before."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moss.operations import maintenance
from submissions.courses.retention import apply_retention
from submissions.models import Assignment, AuditEntry, Batch, Course, Decision, Report
from tests.support.html import get_page, page_of

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
def test_a_change_keeps_it(change: str, old: Assignment) -> None:
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
    assert Assignment.objects.filter(pk=old.pk).exists()


def test_a_notice_that_no_longer_holds_is_taken_back(old: Assignment) -> None:
    tell(old, days=31)
    Batch.objects.create(assignment=old, name="late.zip")
    apply_retention()
    old.refresh_from_db()
    assert old.retention_notice is None


def test_without_a_retention_nothing_is_announced(report: Report) -> None:
    age(report.assignment, days=4000)
    apply_retention()
    assert Assignment.objects.get().retention_notice is None


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
