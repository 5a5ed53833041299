"""The language of an assignment is changed in a real browser."""

import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

JAVA = "class Count { int count(int[] all) { int n = 0; for (int x : all) { n += x; } return n; } }\n"


@pytest.mark.long
def test_files_are_read_again_after_a_question(
    alice: User,
    assignment: Assignment,
    hand_in: HandIn,
    sign_in: SignIn,
    shoot: Shoot,
) -> None:
    hand_in(zipped(CLASS | {"ada/Count.java": JAVA, "ben/Count.java": JAVA}))
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    page.get_by_role("link", name="Settings").click()
    page.locator("select[name=language]").select_option("Java")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("1 file of 1 upload is read again").wait_for()
    check_every_layout(page, shoot, "language-question")
    page.get_by_role("button", name="Change and read again").click()
    page.get_by_role("heading", name="1 case among 3 submissions").wait_for()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("heading", name="Changes of the language").wait_for()
    check_every_layout(page, shoot, "language-settings")
    assignment.language_changes.create(after="ruby", state="reading", documents_total=40, documents_done=12)
    page.goto(assignment.get_absolute_url())
    page.get_by_text("Read again as Ruby.").wait_for()
    check_every_layout(page, shoot, "language-change")
