"""Files that an upload left out, in a real browser: a kind of files is counted with one click."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.build_trees import with_build_trees
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services


@pytest.mark.long
def test_one_click_counts_a_kind_of_files(
    alice: User, hand_in: HandIn, sign_in: SignIn, shoot: Shoot
) -> None:
    batch = hand_in(zipped(with_build_trees(CLASS)))
    page = sign_in(alice)
    page.goto(batch.get_absolute_url())
    check_every_layout(page, shoot, "left-out")
    page.get_by_role("button", name="Count in the next upload: a Python environment").click()
    row = page.get_by_role("row").filter(has_text="a Python environment").first
    expect(row.get_by_text("counts").first).to_be_visible()
    page.goto(reverse("assignment_settings", args=[batch.assignment_id]))
    assert page.get_by_label("Also compare").input_value() == "@environment"
    check_every_layout(page, shoot, "left-out-settings")
