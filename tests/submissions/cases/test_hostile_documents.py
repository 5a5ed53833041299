"""Hostile submissions break neither a document nor the printer."""

import io
from itertools import cycle
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page as BrowserPage
from pypdf import PdfReader

from submissions.models import Decision
from tests.support.every_page import World
from tests.support.hostile_class import LINE, LIVE, NAMES
from tests.support.html import Page, get_page

pytestmark = pytest.mark.services

OPTIONS = {"names": "open", "decision": "on", "sources": "on"}


@pytest.fixture
def decided(nasty: World) -> World:
    """Confirm every pair, with notes as nasty as the names; the course breaks out of a stylesheet."""
    assignment = nasty.assignment
    assignment.course.name = '</style><script>window.hacked=1</script> "; } body { display: none'
    assignment.course.save()
    for pair, name in zip(nasty.report.pairs.all(), cycle(NAMES), strict=False):
        decision = Decision.objects.create(
            assignment=assignment,
            left=pair.left.name,
            right=pair.right.name,
            state="confirmed",
            notes=f"{name}\n{name}",
        )
        decision.changes.create(who=name[:100], field="notes", before=name, after=name)
    return nasty


def assert_harmless(page: Page, style_sheets: int) -> None:
    """Fail if the page has elements, handlers or characters of the hostile class."""
    for live in LIVE:
        assert live not in page.html
    assert not page.has("img[src='x'], svg[onload], script:not([src])")
    assert len(page.inline_code()) == len(page.all("style")) == style_sheets


@pytest.mark.long
def test_a_document_shows_everything_as_text(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    page = get_page(alice_client, address, **OPTIONS, format="html")
    assert_harmless(page, style_sheets=1)
    assert not page.has("script")
    text = page.text("main")
    assert "‹U+202E›fdp.yrots‹U+2066›" in text
    assert "<script>window.hacked=1</script>" in text
    assert "<img src=x onerror=" in text


def test_the_export_form_shows_hostile_names_once_escaped(alice_client: Client, decided: World) -> None:
    page = get_page(alice_client, reverse("exports", args=[decided.assignment.pk]))
    options = page.texts('select[name="names"] option')
    assert "A copy for <script>window.hacked=1</script>: all other names are hidden" in options
    assert "A copy for ‹U+202E›fdp.yrots‹U+2066›: all other names are hidden" in options
    assert_harmless(page, style_sheets=0)


@pytest.mark.long
def test_a_document_runs_nothing_and_requests_nothing(
    alice_client: Client, decided: World, page: BrowserPage, tmp_path: Path
) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    path = tmp_path / "export.html"
    path.write_bytes(alice_client.get(address, {**OPTIONS, "format": "html"}).content)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert requests == [path.as_uri()]
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_hostile_class_is_printed(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    response = alice_client.get(address, {**OPTIONS, "format": "pdf"})
    assert response.headers["Content-Type"] == "application/pdf"
    pdf = PdfReader(io.BytesIO(response.content))
    text = "\n".join(page.extract_text() for page in pdf.pages)
    for character in ("\u202e", "\u2066", "\u200b", "\x1b", "\x07"):
        assert character not in text
    assert "‹U+202E›fdp.yrots‹U+2066›" in text
    assert "window.hacked" in text
    assert text.count("x") >= LINE


@pytest.mark.long
def test_a_single_pair_of_hostile_names_has_a_title_and_a_file_name_that_mislead_nobody(
    alice_client: Client, decided: World
) -> None:
    for pair in decided.report.pairs.all()[:8]:
        address = reverse("export_pair", args=[decided.assignment.pk, pair.left_id, pair.right_id])
        response = alice_client.get(address, {**OPTIONS, "format": "pdf"})
        disposition = response.headers["Content-Disposition"]
        metadata = PdfReader(io.BytesIO(response.content)).metadata
        assert metadata is not None
        assert not {"\u202e", "\u2066", "\x1b", "\x07", "\n", "\r"} & set(f"{metadata.title}{disposition}")
        assert len(disposition) < 2_000
