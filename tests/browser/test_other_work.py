"""Other assignments, other courses and the department's archive in a real browser."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from submissions.models import Assignment, Membership, Pair
from submissions.uploads.change import create_batch
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn
from tests.support.withheld import Sealed

pytestmark = pytest.mark.services


@pytest.mark.long
def test_the_archive_is_chosen_and_its_matches_are_withheld_from_the_owner(
    archived: Sealed, admin: User, sign_in: SignIn, shoot: Shoot
) -> None:
    assignment = archived.world.assignment
    page = sign_in(archived.world.owner)
    page.goto(reverse("rename_course", args=[assignment.course_id]))
    check_every_layout(page, shoot, "archive-course-settings")
    page.goto(reverse("assignment_settings", args=[assignment.pk]))
    page.get_by_label("The department's archive").select_option("Compare with all of it")
    check_every_layout(page, shoot, "archive-assignment-settings")
    page.goto(tab(assignment, "pairs"))
    page.locator("#withheld").get_by_text("ask bob").first.wait_for()
    check_every_layout(page, shoot, "archive-withheld")
    page = sign_in(admin)
    page.goto(reverse("department"))
    page.locator("#archive").wait_for()
    check_every_layout(page, shoot, "archive-department")


@pytest.mark.long
def test_last_years_work_is_chosen_and_narrowed_and_its_pages_are_labelled(  # noqa: PLR0917 - fixtures
    alice: User,
    assignment: Assignment,
    hand_in: HandIn,
    sign_in: SignIn,
    shoot: Shoot,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    old = Assignment.objects.create(course=assignment.course, name="Statistics 2024", term="autumn 2024")
    Assignment.objects.filter(pk=old.pk).update(created=assignment.created - timedelta(days=700))
    with django_capture_on_commit_callbacks(execute=True):
        create_batch(old, alice, [zipped({"ada/m.py": COPIED, "gus/m.py": COPIED + HONEST})])
    hand_in(zipped({"ben/m.py": RENAMED, "cleo/m.py": HONEST, "gus/m.py": COPIED}))
    page = sign_in(alice)
    page.goto(reverse("assignment_settings", args=[assignment.pk]))
    others = page.get_by_label("Other assignments to compare with")
    others.select_option(label="Statistics 2024, autumn 2024 (Programming 1)")
    check_every_layout(page, shoot, "other-assignments-settings")
    with django_capture_on_commit_callbacks(execute=True):
        page.get_by_role("button", name="Save").click()
        page.get_by_role("heading", name="Statistics").wait_for()
    page.goto(tab(assignment, "pairs"))
    check_every_layout(page, shoot, "other-assignments-pairs")
    old_work = page.locator("tr.pair", has_text="autumn 2024")
    old_work.first.wait_for()
    page.get_by_label("Compared").select_option("class")
    old_work.first.wait_for(state="detached")
    page.goto(tab(assignment, "students"))
    check_every_layout(page, shoot, "other-assignments-students")
    page.get_by_role("link", name="ada (Programming 1, Statistics 2024, autumn 2024)").first.click()
    check_every_layout(page, shoot, "other-assignments-submission")
    pair = Pair.objects.get(report__assignment=assignment, same_student=True)
    page.goto(reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    check_every_layout(page, shoot, "other-assignments-pair")


@pytest.mark.long
def test_a_pair_of_another_course_opens_when_its_owner_agrees(sealed: Sealed, sign_in: SignIn, shoot: Shoot) -> None:
    alice, assignment = sealed.world.owner, sealed.world.assignment
    alice.email, alice.first_name, alice.last_name = "alice@example.org", "Alice", "Adams"
    alice.save()
    tess = User.objects.get(username="tess")
    assert Membership.objects.get(user=tess, course=assignment.course).role == Membership.Role.ASSISTANT
    page = sign_in(tess)
    page.goto(tab(assignment, "pairs"))
    assert page.locator("#withheld").get_by_role("listitem").count() > 1
    check_every_layout(page, shoot, "other-courses-withheld")
    page.locator("#withheld").get_by_role("button", name="Ask to read the pair").first.click()
    page.get_by_text("You asked.").wait_for()
    check_every_layout(page, shoot, "other-courses-asked")
    page = sign_in(alice)
    page.goto(sealed.old.course.get_absolute_url())
    check_every_layout(page, shoot, "other-courses-course")
    page.goto(reverse("people", args=[sealed.old.course.pk]))
    check_every_layout(page, shoot, "other-courses-request")
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("button", name="Withdraw the agreement").wait_for()
    check_every_layout(page, shoot, "other-courses-agreed")
