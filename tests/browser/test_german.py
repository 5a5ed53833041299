"""An instructor signs in, switches to German, uploads a class, checks it, and decides a case."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from moss.sample import sample_zip
from submissions.models import Course
from tests.conftest import PASSWORD
from tests.support.browser import PATIENCE, Shoot, assert_accessible_now, drop, each_layout

pytestmark = pytest.mark.services


def look(page: Page, shoot: Shoot, name: str) -> None:
    for layout in each_layout(page):
        if layout.endswith("-light"):
            shoot(f"german-way-{name}-{layout}")
    assert_accessible_now(page)


@pytest.mark.long
def test_the_whole_way_in_german(
    alice: User, celery_worker_process: Path, page: Page, shoot: Shoot, tmp_path: Path
) -> None:
    Course.objects.create(owner=alice, name="Programmieren 1").assignments.create(name="Statistik")
    page.goto("/")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
    page.get_by_label("Benutzername").fill(alice.username)
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_role("link", name="Programmieren 1").click()
    page.get_by_role("link", name="Statistik").click()
    look(page, shoot, "empty")
    drop(page.locator("[data-drop]").first, "abgaben.zip", sample_zip())
    page.get_by_role("button", name="Hochladen").first.click()
    heading = "30 Abgaben gefunden, gelesen als: Ordner oder Datei je Person"
    expect(page.get_by_role("heading", name=heading)).to_be_visible(timeout=PATIENCE)
    look(page, shoot, "preview")
    page.get_by_role("button", name="Diese 30 Abgaben lesen").click()
    expect(page.get_by_role("heading", name="Fälle", exact=True)).to_be_visible(timeout=PATIENCE)
    look(page, shoot, "report")
    page.get_by_role("link", name="Paare").click()
    page.locator("tr.pair .left a").first.click()
    expect(page.locator("[data-status]")).to_have_text("Stelle 1 von 1")
    page.locator(".pane .badge").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Stelle 1:")
    look(page, shoot, "pair")
    page.get_by_text("Verdächtig").first.click()
    expect(page.locator("#decision-answer")).to_contain_text("Gespeichert")
    page.get_by_role("button", name="Español").click()
    expect(page.locator("html")).to_have_attribute("lang", "es")
    look(page, shoot, "spanish")
