"""Signing in: where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from tests.conftest import PASSWORD

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpResponseBase
    from django.test import Client

ELSEWHERE = ["https://evil.example/", "//evil.example", "made-up", "login", "/accounts/login/"]


def sign_in(client: Client, name: str, password: str, **fields: str) -> HttpResponseBase:
    """Send the sign-in form."""
    return client.post(reverse("login"), {"username": name, "password": password, **fields})


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_signing_in_leads_to_a_page_of_this_site(elsewhere: str, client: Client, alice: User) -> None:
    assert sign_in(client, "alice", PASSWORD, next=elsewhere).headers["Location"] == "/"


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_a_signed_in_user_is_led_away_from_the_sign_in_page(elsewhere: str, alice_client: Client) -> None:
    assert alice_client.get(reverse("login"), {"next": elsewhere}).headers["Location"] == "/"


def test_signing_in_leads_back_to_the_page_that_needed_it(client: Client, alice: User) -> None:
    assert sign_in(client, "alice", PASSWORD, next="/courses/1/?q=x").headers["Location"] == "/courses/1/?q=x"
