"""The page about the API and the page of tokens in a real browser, narrow and wide, light and dark."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.support.api import client_with, send
from tests.support.browser import Shoot, SignIn, check_every_layout

pytestmark = pytest.mark.slow


@pytest.mark.long
def test_the_page_of_the_api_and_a_new_token_have_no_fault(
    transactional_db: None, sign_in: SignIn, shoot: Shoot
) -> None:
    page = sign_in(User.objects.create_user("alice", "alice@example.org", PASSWORD))
    page.goto(reverse("api_docs"))
    check_every_layout(page, shoot, "page-api-docs")
    page.get_by_role("link", name="Your tokens").click()
    page.get_by_label("Name", exact=True).fill("nightly upload")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Create the token").click()
    check_every_layout(page, shoot, "page-new-token")
    secret = page.get_by_label("New token").input_value()
    assert send(client_with(secret), "get", "/courses").status_code == 200
