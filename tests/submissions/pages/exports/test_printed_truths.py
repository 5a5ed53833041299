"""What a document says of its colours and of identical files, against the sources that were handed in."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.actions.comparisons import choose_threshold
from submissions.models import Report
from submissions.pages.report.cases import cases
from tests.support.html import Page, page_of
from tests.support.programs import edited, program, remarked
from tests.support.sample_class import zipped

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client
    from selectolax.lexbor import LexborNode

    from submissions.models import Assignment
    from tests.support.uploads import HandIn

ORIGINAL = remarked(Random(5), program(Random(5), 4))
CLASS = {
    "ann/m.py": ORIGINAL,
    "ben/m.py": edited(Random(8), ORIGINAL),
    "dan/m.py": ORIGINAL,
}


def coloured(rows: list[LexborNode], side: int, selector: str) -> str:
    """Return the text of some marks on one side, without what is underlined, and without layout."""
    cells = [cells[side] for row in rows if len(cells := row.css("td.code")) == 2]
    parts = [re.sub(r"<u>.*?</u>", "~", node.html or "") for cell in cells for node in cell.css(selector)]
    return "".join("".join(Page(part).text("body").split()) for part in parts)


def test_coloured_text_is_equal_on_both_sides_and_paler_text_is_not(
    alice: User, alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    choose_threshold(assignment, alice, 50)
    (case,) = cases(Report.objects.get(assignment=assignment))
    address = reverse("export_case", args=[assignment.pk, case.key])
    page = page_of(alice_client.get(address, {"format": "html", "names": "open"}))
    assert "Coloured text is equal on both sides" in page.text("body")
    tables = [table.css("tr") for table in page.all("table.lines")]
    assert len(tables) > 1
    for rows in tables:
        equal = [coloured(rows, side, "mark:not(.gap)") for side in (0, 1)]
        assert equal[0] == equal[1] != ""
    paler = "".join(coloured(rows, side, "mark.gap") for rows in tables for side in (0, 1))
    assert "trace" in paler


def test_the_pairs_of_identical_files_with_others_are_printed_for_one_of_them(
    alice: User, alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    choose_threshold(assignment, alice, 50)
    (case,) = cases(Report.objects.get(assignment=assignment))
    address = reverse("export_case", args=[assignment.pk, case.key])
    page = page_of(alice_client.get(address, {"format": "html", "names": "open"}))
    assert CLASS["ann/m.py"] == CLASS["dan/m.py"]
    stated = (
        "2 of them handed in the same files, byte by byte. Their pairs with others are printed for one of"
    )
    assert stated in page.text("body")
    printed = [re.sub(r"^\d+\. ", "", text) for text in page.texts("h2") if re.match(r"\d+\. ", text)]
    assert sorted(printed) in (["ann and ben", "ann and dan"], ["ann and dan", "ben and dan"])
