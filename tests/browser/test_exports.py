"""Exported documents: requested in a real browser, saved, and opened from disk."""

import io
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Request
from pypdf import PdfReader

from submissions.models import Decision
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.every_page import World

pytestmark = pytest.mark.services


# Brightness of an element's background, in [0, 1].
BRIGHTNESS = """(element) => {
  const parts = getComputedStyle(element).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part) / 765;
}"""


@pytest.fixture
def confirmed(world: World) -> World:
    """Confirm the two pairs that are most alike."""
    for pair in world.report.pairs.all()[:2]:
        decision = Decision.objects.create(
            assignment=world.assignment, left=pair.left.name, right=pair.right.name, state="confirmed"
        )
        decision.changes.create(who="alice", field="state", before="undecided", after="confirmed")
    return world


def download_by(page: Page, button: str, folder: Path) -> Path:
    """Press a button and return the path of the file that it downloads."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


@pytest.mark.long
def test_confirmed_pairs_are_exported_as_a_file_that_opens_without_a_server(
    confirmed: World, sign_in: SignIn, shoot: Shoot, tmp_path: Path
) -> None:
    page = sign_in(confirmed.owner)
    page.goto(confirmed.assignment.get_absolute_url())
    page.get_by_role("link", name="Export").click()
    check_every_layout(page, shoot, "exports")
    path = download_by(page, "HTML file", tmp_path)
    requested: list[str] = []

    def note(request: Request) -> None:
        requested.append(request.url)

    page.on("request", note)
    page.goto(path.as_uri())
    check_every_layout(page, shoot, "taken-confirmed")
    assert requested == [path.as_uri()]
    page.remove_listener("request", note)
    page.get_by_role("link", name=f"2. {confirmed.report.pairs.all()[1].left.name}").click()
    page.wait_for_url("**#pair-2")


@pytest.mark.long
def test_a_pair_is_exported_from_its_page_for_one_student(
    confirmed: World, sign_in: SignIn, shoot: Shoot, tmp_path: Path
) -> None:
    page, pair = sign_in(confirmed.owner), confirmed.pair
    page.goto(reverse("pair", args=[confirmed.assignment.pk, pair.left_id, pair.right_id]))
    page.get_by_role("link", name="Export").click()
    check_every_layout(page, shoot, "takeaway-pair")
    page.get_by_label(f"A copy for {pair.left.name}").check()
    page.get_by_label("The whole sources").check()
    copied = download_by(page, "PDF", tmp_path)
    assert pair.left.name in copied.name
    assert pair.right.name not in copied.name
    assert pair.left.name in text_of(copied.read_bytes())
    page.goto(download_by(page, "HTML file", tmp_path).as_uri())
    check_every_layout(page, shoot, "taken-pair")


@pytest.mark.long
def test_the_printed_html_file_has_the_content_and_size_of_the_pdf(
    confirmed: World, sign_in: SignIn, tmp_path: Path
) -> None:
    page, pair = sign_in(confirmed.owner), confirmed.pair
    page.goto(reverse("export_pair", args=[confirmed.assignment.pk, pair.left_id, pair.right_id]))
    exported = PdfReader(download_by(page, "PDF", tmp_path))
    page.goto(download_by(page, "HTML file", tmp_path).as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".lines mark").first.evaluate(BRIGHTNESS) > 0.8
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, path=tmp_path / "chromium.pdf")))
    words = [
        {word for pdf_page in pdf.pages for word in pdf_page.extract_text().split()}
        for pdf in (exported, printed)
    ]
    assert len(words[0] & words[1]) / len(words[0] | words[1]) > 0.9
    assert abs(len(exported.pages) - len(printed.pages)) <= 1
    assert f"Page 1 of {len(printed.pages)}" in printed.pages[0].extract_text()
    assert exported.pages[0].mediabox.width == pytest.approx(printed.pages[0].mediabox.width, abs=2)
