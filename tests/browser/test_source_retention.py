"""A pair whose sources were deleted, in a real browser."""

import pytest
from django.urls import reverse

from tests.submissions.courses.test_source_retention import let_them_go
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.every_page import World

pytestmark = pytest.mark.services


@pytest.mark.long
def test_a_pair_without_sources_has_no_fault(world: World, sign_in: SignIn, shoot: Shoot) -> None:
    let_them_go(world.assignment)
    page = sign_in(world.owner)
    page.goto(reverse("pair", args=[world.assignment.pk, world.pair.left_id, world.pair.right_id]))
    assert page.locator("text=were deleted on").count() == 2
    check_every_layout(page, shoot, "page-pair-without-sources")
