"""The language of the pages: chosen by the browser or in the footer, the same page in every language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.urls import reverse

from submissions.actions import shares
from tests.support.every_page import OWN_PAGES, PAGES, PUBLIC, STAFF_PAGES, address
from tests.support.html import get_page, text_of
from tests.support.translations import LANGUAGES, translations

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.support.every_page import World
    from tests.support.html import Page

# Attributes that people read or hear; every other one is the same in all languages.
READ = {"title", "aria-label", "placeholder", "alt", "data-label", "data-before", "data-more", "data-less", "lang"}
# Values of one request: its token, the version of a fragment, and the pressed button of the switch.
OF_ONE_REQUEST = {"csrfmiddlewaretoken", "hx-headers", "hx-get", "aria-pressed"}
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%%")


def language_of(client: Client, address: str, accepts: str = "") -> str | None:
    response = client.get(address, headers={"accept-language": accepts} if accepts else {})
    assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))
    return get_page(client, address, **({"accept-language": accepts} if accepts else {})).one("html").attributes["lang"]


@pytest.mark.parametrize(
    ("accepts", "language"),
    [("de-AT,de;q=0.9", "de"), ("fr,es;q=0.5", "es"), ("fr", "en"), ("", "en"), ("\x00;;q=x", "en")],
)
def test_a_page_has_the_language_that_the_browser_asks_for(
    accepts: str, language: str, client: Client, alice_client: Client
) -> None:
    assert language_of(client, reverse("login"), accepts) == language
    assert language_of(alice_client, reverse("courses"), accepts) == language
