"""The department's archive: who takes part, what is compared with it, and what administrators see of it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import AuditEntry, Membership
from tests.support.api import api_client, send
from tests.support.archive import Department
from tests.support.html import get_page, text_of
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.services


def course_settings(department: Department) -> str:
    return reverse("rename_course", args=[department.assignment.course_id])


def takes_part(department: Department) -> bool:
    department.assignment.course.refresh_from_db()
    return department.assignment.course.in_archive


@pytest.mark.long
def test_the_owner_decides_whether_a_course_takes_part_and_others_who_manage_it_do_not(
    department: Department, alice_client: Client, colleague_client: Client
) -> None:
    address, sent = course_settings(department), {"name": "Statistics", "in_archive": "False"}
    field = get_page(colleague_client, address).all("#id_in_archive")[0]
    assert "disabled" in field.attributes
    colleague_client.post(address, sent)
    assert takes_part(department)
    alice_client.post(address, sent)
    assert not takes_part(department)
    entry = AuditEntry.objects.filter(who="alice").latest("pk")
    assert (entry.action, entry.page) == ("course", "rename_course")


def test_the_archive_is_one_choice_that_says_what_it_adds_and_ranks_again(
    department: Department, alice_client: Client
) -> None:
    department.assignment.compare_archive = False
    department.assignment.save()
    department.hand_in(zipped(CLASS))
    assert department.old_names() == set()
    address = reverse("assignment_settings", args=[department.assignment.pk])
    assert "Python 2" in get_page(alice_client, address).text("#id_compare_archive_helptext")
    with department.committing(execute=True):
        alice_client.post(address, {"name": "Statistics", "compare_archive": "True"})
    assert department.old_names() == {"zacharias", "yvonne"}
    assert get_page(alice_client, address).texts("#id_compare_archive option[selected]") == [
        "Compare with all of it"
    ]


def test_a_course_that_does_not_take_part_is_refused_the_archive_and_keeps_its_choice(
    department: Department, alice_client: Client
) -> None:
    department.assignment.course.in_archive = False
    department.assignment.course.save()
    address = reverse("assignment_settings", args=[department.assignment.pk])
    page = get_page(alice_client, address)
    assert "disabled" in page.all("#id_compare_archive")[0].attributes
    assert "does not take part" in page.text("#id_compare_archive_helptext")
    sent = {"name": "Statistics", "compare_archive": "True"}
    assert alice_client.post(address, sent).status_code == 422
    assert alice_client.post(address, {"name": "Statistics"}).status_code == 302
    department.assignment.refresh_from_db()
    assert department.assignment.compare_archive


def test_a_program_reads_and_sets_both_choices_as_the_pages_do(
    department: Department, alice: User, colleague: User
) -> None:
    course, assignment = department.assignment.course_id, department.assignment.pk
    client = api_client(alice)
    assert send(client, "get", f"/courses/{course}").json()["in_archive"]
    assert send(client, "get", f"/assignments/{assignment}").json()["compare_archive"]
    changed = send(client, "patch", f"/courses/{course}", {"in_archive": False}).json()
    assert (changed["in_archive"], changed["name"]) == (False, "Programming 1")
    assert AuditEntry.objects.latest("pk").page == "api_course"
    refused = send(client, "patch", f"/assignments/{assignment}", {"compare_archive": True})
    assert refused.status_code == 422
    assert send(client, "patch", f"/assignments/{assignment}", {"term": "2027"}).status_code == 200
    others = api_client(colleague)
    assert send(others, "patch", f"/courses/{course}", {"in_archive": True}).status_code == 403
    assert send(others, "patch", f"/courses/{course}", {"keep_months": 6}).json()["keep_months"] == 6


def test_administrators_see_who_takes_part_and_how_much_the_archive_holds(
    department: Department, admin_client: Client, alice: User
) -> None:
    page = get_page(admin_client, reverse("department"))
    assert page.text("#archive") == (
        "2 courses take part in the department's archive. It holds 2 submissions of 1 assignment. "
        "Terms: michaelmas"
    )
    assert page.texts("td[data-label=archive]") == ["takes part", "takes part"]
    department.assignment.course.in_archive = False
    department.assignment.course.save()
    assert "takes part" in get_page(admin_client, reverse("department")).texts("td[data-label=archive]")


def test_narrow_tables_of_the_department_name_one_and_several(
    department: Department, admin_client: Client
) -> None:
    old = department.old.course
    Membership.objects.create(
        course=old, user=User.objects.create_user("kim"), role=Membership.Role.ASSISTANT
    )
    page = get_page(admin_client, reverse("department"))
    numbers = page.all("td.number")
    labels = {(str(cell.attributes["data-label"]), text_of(cell)) for cell in numbers}
    assert {("person", "1"), ("people", "2"), ("assignment", "1"), ("submissions", "2")} <= labels
