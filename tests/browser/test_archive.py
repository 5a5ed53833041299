"""The department's archive in a real browser: chosen, found, and counted for administrators."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.tabs import tab
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
