"""Other assignments on the pages: chosen in the settings, labelled wherever a submission is named."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions.courses.retention import delete_assignment
from submissions.models import Assignment, Course, Report
from submissions.reports.change import compare_with
from submissions.uploads.change import create_batch
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.tabs import tab

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

LABEL = "Programming 1, Lab 1, 2024"
NEW = {"ben/m.py": RENAMED, "cleo/m.py": HONEST, "gus/m.py": COPIED}


@pytest.fixture
def old(
    assignment: Assignment, alice: User, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> Assignment:
    """Return an earlier assignment of the same course with three submissions, of which one is Gus's."""

    def store() -> None:
        old = Assignment.objects.create(course=assignment.course, name="Lab 1", term="2024")
        Assignment.objects.filter(pk=old.pk).update(created=assignment.created - timedelta(days=700))
        files = {"ada/m.py": COPIED, "gus/m.py": COPIED, "hal/m.py": HONEST}
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(old, alice, [zipped(files)])

    stored("an earlier assignment", store)
    return Assignment.objects.get(name="Lab 1")


@pytest.fixture
def compared(
    assignment: Assignment, hand_in: HandIn, old: Assignment, django_capture_on_commit_callbacks: Committing
) -> Report:
    """Return the report of a class that is compared with `old`."""

    def store() -> None:
        hand_in(zipped(NEW))
        with django_capture_on_commit_callbacks(execute=True):
            compare_with(assignment, [old], course=False)

    stored("a class that is compared with an earlier assignment", store)
    report = assignment.reports.filter(state="done").first()
    assert report
    return report


def settings_address(assignment: Assignment) -> str:
    return reverse("assignment_settings", args=[assignment.pk])


@pytest.mark.long
def test_other_assignments_are_chosen_in_the_settings_and_ranked_with(
    alice_client: Client,
    assignment: Assignment,
    hand_in: HandIn,
    old: Assignment,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    hand_in(zipped(NEW))
    page = get_page(alice_client, settings_address(assignment))
    assert page.texts("#id_compared_with option") == ["Lab 1, 2024 (Programming 1)"]
    with django_capture_on_commit_callbacks(execute=True):
        sent = {"name": "Statistics", "compare_course": "False", "compared_with": [str(old.pk)]}
        alice_client.post(settings_address(assignment), sent)
    assert list(assignment.compared_with.all()) == [old]
    assert get_page(alice_client, settings_address(assignment)).texts(
        "#id_compared_with option[selected]"
    ) == ["Lab 1, 2024 (Programming 1)"]
    assert f"ada ({LABEL})" in get_page(alice_client, tab(assignment, "pairs")).text("table.pairs")
    count = assignment.reports.order_by("-pk").values_list("pk", flat=True)[0]
    alice_client.post(settings_address(assignment), sent)
    assert assignment.reports.order_by("-pk").values_list("pk", flat=True)[0] == count


def test_assignments_of_other_owners_cannot_be_chosen(
    alice_client: Client, colleague_client: Client, assignment: Assignment, bob: User, old: Assignment
) -> None:
    bobs = Course.objects.create(owner=bob, name="Bob's").assignments.create(name="Secret")
    for client in (alice_client, colleague_client):
        page = get_page(client, settings_address(assignment))
        assert "Secret" not in page.html
        sent = {"name": "Statistics", "compared_with": [str(bobs.pk)]}
        assert client.post(settings_address(assignment), sent).status_code == 422
    assert not assignment.compared_with.exists()


@pytest.mark.long
def test_the_list_of_pairs_is_narrowed_to_the_class_or_to_earlier_work(
    alice_client: Client, assignment: Assignment, compared: Report
) -> None:
    def names(**query: str) -> list[str]:
        return get_page(alice_client, tab(assignment, "pairs"), **query).texts("td.right")

    assert any(LABEL in name for name in names())
    assert names(work="class")
    assert not any(LABEL in name for name in names(work="class"))
    page = get_page(alice_client, tab(assignment, "pairs"), work="earlier")
    rows = list(zip(page.texts("table.pairs th[scope=row]"), page.texts("td.right"), strict=True))
    assert rows
    assert all(LABEL in left + right for left, right in rows)


def test_a_class_without_earlier_work_has_no_such_filter(alice_client: Client, report: Report) -> None:
    assert not get_page(alice_client, tab(report.assignment, "pairs")).has("#id_work")


def test_the_pair_of_a_repeater_is_flagged_with_the_term_and_in_no_case(
    alice_client: Client, assignment: Assignment, compared: Report
) -> None:
    page = get_page(alice_client, tab(assignment, "pairs"), flag="own")
    assert page.texts("td.flags .flag.own") == ["the same student, 2024"]
    assert page.text("td.case") == ""
    assert [page.text("table.pairs th[scope=row]"), page.text("td.right")] == ["gus", f"gus ({LABEL})"]


def test_old_work_is_labelled_in_every_table_and_export(
    alice_client: Client, assignment: Assignment, compared: Report
) -> None:
    for name in ("cases", "pairs", "students"):
        address = assignment.get_absolute_url() if name == "cases" else tab(assignment, name)
        assert LABEL in get_page(alice_client, address).html, name
    for table in ("pairs", "submissions"):
        response = alice_client.get(reverse("table", args=[assignment.pk, table, "json"]))
        text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
        assert LABEL in text, table
    pairs = alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"]))
    assert "the same student 2024" in b"".join(pairs.streaming_content).decode()  # type: ignore[attr-defined]
    pair = compared.pairs.get(left__name="ben", right__name=f"gus ({LABEL})")
    address = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
    assert LABEL in get_page(alice_client, address).text()


def test_the_label_stays_where_names_are_hidden(
    alice_client: Client, assignment: Assignment, compared: Report
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert "gus" not in page.text("table.pairs")
    assert f"({LABEL})" in page.text("table.pairs")


def test_the_page_of_old_work_leads_to_the_submission_that_it_is(
    alice_client: Client, assignment: Assignment, old: Assignment, compared: Report
) -> None:
    copy = compared.submissions.get(name=f"ada ({LABEL})")
    page = get_page(alice_client, reverse("submission", args=[assignment.pk, copy.pk]))
    assert reverse("submission", args=[old.pk, copy.origin_id]) in page.links()
    assert alice_client.get(reverse("batch", args=[copy.batch_id])).status_code == 404
    assert LABEL not in get_page(alice_client, tab(assignment, "uploads")).text()


def test_the_pairs_tab_says_what_was_looked_up_and_what_was_deleted(
    alice_client: Client,
    assignment: Assignment,
    old: Assignment,
    compared: Report,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    row = get_page(alice_client, tab(assignment, "pairs")).text(".comparisons li")
    assert row.startswith(f"{LABEL} 3 submissions looked up, ")
    lost = get_page(alice_client, reverse("delete_assignment", args=[old.pk])).text()
    assert "in the reports of other assignments, with their pairs" in lost
    with django_capture_on_commit_callbacks(execute=True):
        delete_assignment(old)
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert "deleted since: its submissions and pairs are gone" in page.text(".comparisons li")
    assert LABEL not in page.text("table.pairs")


@pytest.mark.long
def test_nobody_else_sees_the_pages(bob_client: Client, assignment: Assignment, compared: Report) -> None:
    pair = compared.pairs.filter(right__name__contains=LABEL).first()
    assert pair
    address = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
    for path in (address, tab(assignment, "pairs"), settings_address(assignment)):
        assert bob_client.get(path).status_code == 404
