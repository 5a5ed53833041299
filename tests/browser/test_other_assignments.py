"""Comparing with an assignment of last year in a real browser."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from submissions.models import Assignment, Pair
from submissions.uploads.change import create_batch
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services


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
