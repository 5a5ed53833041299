"""docs/start/first-class.md: an instructor follows its steps; `--update-goldens` takes its pictures anew."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from moss.sample import sample_zip
from tests.conftest import PASSWORD
from tests.support.browser import PATIENCE, drop
from tests.support.paths import ROOT

FOLDER = ROOT / "docs" / "start"
TEXT = (FOLDER / "first-class.md").read_text()
PICTURES = re.findall(r"!\[[^]]+\]\((\w+\.png)\)", TEXT)


def test_every_step_with_a_page_has_its_picture() -> None:
    assert PICTURES == ["drop.png", "check.png", "cases.png", "pair.png"]
    assert [name for name in PICTURES if not (FOLDER / name).exists()] == []


@pytest.mark.long
def test_the_steps_lead_from_signing_in_to_a_decision(
    alice: User, celery_worker_process: Path, page: Page, request: pytest.FixtureRequest
) -> None:
    folder = FOLDER if request.config.getoption("--update-goldens") else ROOT / "artifacts"
    pictures = iter(PICTURES)

    def take() -> None:
        page.screenshot(path=folder / next(pictures))

    page.goto("/")
    page.get_by_label("Username").fill(alice.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("Programming 1")
    _press(page, "Create course")
    page.get_by_label("Name").fill("Library fines")
    _press(page, "Create assignment")
    drop(page.locator("[data-drop]").first, "class.zip", sample_zip())
    expect(page.locator("[data-chosen]").first).to_contain_text("class.zip")
    take()
    _press(page, "Upload")
    expect(page.get_by_role("heading", name="30 submissions found")).to_be_visible(timeout=PATIENCE)
    take()
    assert "*Read these … submissions*" in TEXT
    page.get_by_role("button", name="Read these 30 submissions").click()
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ cases"))).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Do not show this again").click()
    expect(page.get_by_role("button", name="Do not show this again")).to_have_count(0)
    expect(page.locator(".plot .u-over")).to_be_visible()
    expect(page.locator(".canvas .node")).not_to_have_count(0)
    take()
    page.get_by_role("link", name="Pairs", exact=True).click()
    page.locator("tr.pair .left a", has_text="grace-whitcombe").first.click()
    expect(page.locator("[data-status]")).to_contain_text("Passage 1")
    take()
    assert "*Suspicious*" in TEXT
    page.get_by_text("Suspicious").first.click()
    expect(page.locator("#decision-answer")).to_contain_text("Saved")
    assert next(pictures, None) is None


def _press(page: Page, button: str) -> None:
    """Press a button that the document names."""
    assert f"*{button}*" in TEXT
    page.get_by_role("button", name=button).click()
