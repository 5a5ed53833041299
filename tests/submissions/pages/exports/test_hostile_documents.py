"""What students hand in to break a page breaks neither a document nor the printer."""

from __future__ import annotations

import io
from itertools import cycle
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from pypdf import PdfReader

from submissions.models import Decision
from tests.support.hostile_class import LINE, LIVE, NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from playwright.sync_api import Page

    from tests.support.every_page import World

CHOSEN = {"names": "open", "decision": "on", "sources": "on"}


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


def test_a_file_shows_it_all_as_text(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    page = alice_client.get(address, {**CHOSEN, "format": "html"}).content.decode()
    for live in LIVE:
        assert live not in page
    assert page.count("<style>") == page.count("</style>") == 1
    assert "<script" not in page
    assert "⟨U+202E⟩" in page


def test_the_page_that_asks_shows_nasty_names_once_escaped(alice_client: Client, decided: World) -> None:
    page = alice_client.get(reverse("exports", args=[decided.assignment.pk])).content.decode()
    assert "A copy for &lt;script&gt;window.hacked=1&lt;/script&gt;: everybody else is hidden" in page
    assert "A copy for ⟨U+202E⟩fdp.yrots⟨U+2066⟩" in page
    for live in LIVE:
        assert live not in page


def test_a_file_runs_nothing_and_asks_nobody(
    alice_client: Client, decided: World, page: Page, tmp_path: Path
) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    path = tmp_path / "taken.html"
    path.write_bytes(alice_client.get(address, {**CHOSEN, "format": "html"}).content)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert asked == [path.as_uri()]
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_is_printed(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    answer = alice_client.get(address, {**CHOSEN, "format": "pdf"})
    assert answer.headers["Content-Type"] == "application/pdf"
    pdf = PdfReader(io.BytesIO(answer.content))
    text = "\n".join(page.extract_text() for page in pdf.pages)
    for live in ("\u202e", "\u2066", "\u200b", "\x1b", "\x07"):
        assert live not in text
    assert "⟨U+202E⟩" in text
    assert "window.hacked" in text
    assert text.count("x") >= LINE


def test_a_lone_pair_of_nasty_names_has_a_title_and_a_file_name_that_mislead_nobody(
    alice_client: Client, decided: World
) -> None:
    for pair in decided.report.pairs.all()[:8]:
        address = reverse("export_pair", args=[decided.assignment.pk, pair.left_id, pair.right_id])
        answer = alice_client.get(address, {**CHOSEN, "format": "pdf"})
        metadata = PdfReader(io.BytesIO(answer.content)).metadata
        assert metadata is not None
        said = f"{metadata.title}{answer.headers['Content-Disposition']}"
        assert not {"\u202e", "\u2066", "\x1b", "\x07", "\n", "\r"} & set(said)
        assert len(answer.headers["Content-Disposition"]) < 2_000
