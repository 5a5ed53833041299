"""The theme of the pages, and hints for those who see a page for the first time."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import DismissedHint
from submissions.shares import links as shares
from tests.support.every_page import World
from tests.support.html import get_page
from tests.support.paths import ROOT

DARK = 'link[rel=stylesheet][href*="dark"]'


def scheme(client: Client, address: str) -> tuple[list[str], list[str]]:
    """Return the colour schemes of a page, and when its dark colours apply."""
    page = get_page(client, address)
    return page.values('meta[name="color-scheme"]', "content"), page.values(DARK, "media")


def test_a_page_follows_the_system_until_a_theme_is_chosen(alice_client: Client) -> None:
    courses, switch = reverse("courses"), reverse("switch_theme")
    system = (["light dark"], ["screen and (prefers-color-scheme: dark)"])
    assert scheme(alice_client, courses) == system
    alice_client.post(switch, {"theme": "dark", "next": courses})
    assert scheme(alice_client, courses) == (["dark"], ["screen"])
    alice_client.post(switch, {"theme": "light", "next": courses})
    assert scheme(alice_client, courses) == (["light"], [])
    assert get_page(alice_client, courses).text(".theme [aria-pressed=true]") == "Light"
    alice_client.post(switch, {"theme": "system", "next": courses})
    assert scheme(alice_client, courses) == system


def test_a_theme_leads_back_to_the_page_and_stays_in_the_browser(world: World, alice_client: Client) -> None:
    pairs = reverse("pairs", args=[world.assignment.pk])
    response = alice_client.post(reverse("switch_theme"), {"theme": "dark", "next": pairs})
    assert (response.status_code, response.headers["Location"]) == (302, pairs)
    cookie = response.cookies["theme"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 31_536_000)
    alice_client.logout()
    alice_client.cookies["theme"] = "dark"
    shared = reverse("shared", args=[shares.share_token(world.share)])
    assert scheme(alice_client, shared) == (["dark"], ["screen"])
    assert not get_page(alice_client, shared).has(".theme")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "", "courses"])
def test_a_theme_leads_to_no_other_site_and_a_made_up_one_counts_as_none(
    elsewhere: str, alice_client: Client
) -> None:
    response = alice_client.post(reverse("switch_theme"), {"theme": "x; y", "next": elsewhere})
    assert response.headers["Location"] == reverse("courses")
    alice_client.cookies["theme"] = 'blue"><script>'
    assert scheme(alice_client, reverse("courses"))[0] == ["light dark"]


@pytest.mark.parametrize("name", ["assignment", "pairs", "pair"])
def test_a_hint_is_shown_until_its_user_dismisses_it(
    name: str, world: World, alice_client: Client, alice: User
) -> None:
    pair = (world.assignment.pk, world.pair.left_id, world.pair.right_id)
    address = reverse(name, args=pair if name == "pair" else pair[:1])
    hint = get_page(alice_client, address).one(".first-time")
    form = {node.attributes["name"]: node.attributes["value"] for node in hint.css("input")}
    assert alice_client.post(reverse("dismiss_hint"), form).headers["Location"] == address
    assert not get_page(alice_client, address).has(".first-time")
    response = alice_client.post(reverse("dismiss_hint"), form, headers={"HX-Request": "true"})
    assert (response.status_code, response.content) == (200, b"")
    assert DismissedHint.objects.filter(user=alice).count() == 1


def test_nobody_else_loses_a_hint_and_a_reader_of_a_link_has_none(
    world: World, alice_client: Client, colleague_client: Client, client: Client
) -> None:
    alice_client.post(reverse("dismiss_hint"), {"hint": "cases"})
    address = reverse("assignment", args=[world.assignment.pk])
    assert not get_page(alice_client, address).has(".first-time")
    assert get_page(colleague_client, address).has(".first-time")
    assert not get_page(client, reverse("shared", args=[shares.share_token(world.share)])).has(".first-time")


def test_only_known_hints_of_somebody_signed_in_are_stored(alice_client: Client, client: Client) -> None:
    assert alice_client.post(reverse("dismiss_hint"), {"hint": "made up"}).status_code == 302
    assert client.post(reverse("dismiss_hint"), {"hint": "cases"}).status_code == 302
    assert not DismissedHint.objects.exists()


def test_no_style_sheet_has_a_word_of_a_language() -> None:
    sheets = {path.name: path.read_text() for path in (ROOT / "submissions/static/submissions").glob("*.css")}
    assert "charts.css" in sheets
    words = {name: re.findall(r'content: *"[^"\\]*[A-Za-z]', text) for name, text in sheets.items()}
    assert {name for name, matches in words.items() if matches} == set()
