"""Sentences of a document on its colours and on identical files, against the sources of the submissions."""

import io
import re
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader
from selectolax.lexbor import LexborNode

from submissions.cases.case_list import cases
from submissions.cases.change import DecisionInput, decide
from submissions.cases.read import PairNames
from submissions.models import Assignment, Report
from submissions.reports.change import choose_threshold
from tests.support.html import Page, page_of
from tests.support.long_rows import rest_is_long
from tests.support.programs import edited, program, remarked, renamed
from tests.support.sample_class import loose, zipped
from tests.support.uploads import HandIn, register_boilerplate

ORIGINAL = remarked(Random(5), program(Random(5), 4))
CLASS = {"ann/m.py": ORIGINAL, "ben/m.py": edited(Random(8), ORIGINAL), "dan/m.py": ORIGINAL}


def coloured(rows: list[LexborNode], side: int, selector: str) -> str:
    """Return the text of some marks on one side, without what is underlined, and without layout."""
    cells = [cells[side] for row in rows if len(cells := row.css("td.code")) == 2]
    parts = [re.sub(r"<u>.*?</u>", "~", node.html or "") for cell in cells for node in cell.css(selector)]
    return "".join("".join(Page(part).text("body").split()) for part in parts)


def test_the_document_of_a_case_colours_equal_text_and_has_decisions_and_one_of_identical_files(
    alice: User, alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    choose_threshold(assignment, alice, 50)
    report = Report.objects.get(assignment=assignment)
    (case,) = cases(report)
    address, query = (
        reverse("export_case", args=[assignment.pk, case.key]),
        {"format": "html", "names": "open"},
    )
    page = page_of(alice_client.get(address, query))
    assert "Coloured text is equal on both sides" in page.text("body")
    tables = [table.css("tr") for table in page.all("table.beside")]
    assert len(tables) > 1
    for rows in tables:
        equal = [coloured(rows, side, "mark:not(.gap)") for side in (0, 1)]
        assert equal[0] == equal[1] != ""
    paler = "".join(coloured(rows, side, "mark.gap") for rows in tables for side in (0, 1))
    assert "trace" in paler
    assert CLASS["ann/m.py"] == CLASS["dan/m.py"]
    stated = "2 of them handed in the same files. Their pairs with others are printed for one of"
    assert stated in page.text("body")
    printed = [re.sub(r"^\d+\. ", "", text) for text in page.texts("h2") if re.match(r"\d+\. ", text)]
    assert sorted(printed) in (["ann and ben", "ann and dan"], ["ann and dan", "ben and dan"])
    pair = report.pairs.select_related("left", "right").get(left__name="ann", right__name="dan")
    decide(assignment, PairNames.from_pair(pair), alice, DecisionInput("confirmed", None, "Ann wrote it."))
    text = page_of(alice_client.get(address, query | {"decision": "on"})).text("body")
    assert text.count("Ann wrote it.") >= 1
    assert text.count("Undecided. There are no notes on this case.") == 1
    assert "There are no notes on this pair." not in text


def test_ignored_words_that_are_written_differently_are_underlined_too(
    alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    starter, programs = program(Random(3), 1), [program(Random(seed), 2) for seed in (4, 6)]
    whole = f"{programs[0]}{starter}{programs[1]}"
    register_boilerplate(assignment, loose("given.py", starter))
    hand_in(zipped({"ann/m.py": whole, "ben/m.py": renamed(whole), "cleo/m.py": program(Random(9), 3)}))
    pair = Report.objects.get(assignment=assignment).pairs.get(left__name="ann", right__name="ben")
    address = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    page = page_of(alice_client.get(address, {"format": "html", "names": "open"}))
    rows = page.all("table.lines tr")
    ignored = [coloured(rows, side, "mark .ignored") for side in (0, 1)]
    assert ignored[0] == ignored[1]
    assert ignored[0].count("~") > 5
    equal = [coloured(rows, side, "mark:not(.gap)") for side in (0, 1)]
    assert equal[0] == equal[1] != ""


@pytest.mark.parametrize(
    ("language", "foot"), rest_is_long([("de", "Seite 1 von "), ("en", "Page 1 of "), ("es", "Página 1 de ")])
)
def test_pages_are_numbered_in_the_language_of_the_document(
    alice_client: Client, hand_in: HandIn, assignment: Assignment, language: str, foot: str
) -> None:
    hand_in(zipped({name: text for name, text in CLASS.items() if name != "dan/m.py"}))
    pair = Report.objects.get(assignment=assignment).pairs.get()
    address = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    query = {"format": "pdf", "names": "open"}
    answer = alice_client.get(address, query, headers={"accept-language": language})
    pages = PdfReader(io.BytesIO(answer.getvalue())).pages
    assert f"{foot}{len(pages)}" in pages[0].extract_text()
