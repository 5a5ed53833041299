"""A class in several languages, from the upload to the pair's page and the exports."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Document, Pair, Report
from submissions.reports.change import propose_passage
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

SOURCES = Path(__file__).parents[3] / "bench/translations/tuned/files/class"
CLASS = {
    "ada/Bank.java": "bank_original.java",
    "ben/bank.py": "bank_translated.py",
    "cleo/bank.js": "bank_honest_b.js",
    "dan/bank.py": "bank_honest_a.py",
}


@pytest.fixture
def mixed(hand_in: HandIn) -> Report:
    """Return the report of a class in three languages; Ben's program is a translation of Ada's."""
    files = {path: (SOURCES / name).read_text() for path, name in CLASS.items()}
    stored("three languages", lambda: hand_in(zipped(files)))
    return Report.objects.get(state=Report.State.DONE)


def translated_pair(report: Report) -> Pair:
    return report.pairs.get(translated=True)


def address(pair: Pair, page: str = "pair") -> str:
    return reverse(page, args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def test_the_pages_show_the_mark(alice_client: Client, mixed: Report) -> None:
    pair = translated_pair(mixed)
    report_page = get_page(alice_client, reverse("pairs", args=[mixed.assignment_id]))
    assert report_page.texts("table.pairs .flag.translated") == ["translated"]
    assert get_page(alice_client, address(pair)).text("h1").endswith("translated")
    submission = reverse("submission", args=[mixed.assignment_id, pair.left_id])
    assert get_page(alice_client, submission).texts("table.matches .flag.translated") == ["translated"]


def test_the_page_of_a_pair_marks_steps_in_both_languages(alice_client: Client, mixed: Report) -> None:
    page = get_page(alice_client, address(translated_pair(mixed)))
    marked = {side: " ".join(page.texts(f"[data-side={side}] mark")) for side in "LR"}
    assert "getBalance" not in marked["L"]
    assert "addInterest" in marked["L"]
    assert "add_interest" in marked["R"]
    assert re.fullmatch(
        r"\d+\s% of the steps of (ada’s program are in ben|ben’s program are in ada)’s, in another .*",
        page.text(".summary"),
    )
    assert not page.has(".source .differs")
    assert not page.has(".ignore")


@pytest.mark.long
def test_a_passage_of_a_translation_cannot_be_ignored(assignment: Assignment, mixed: Report) -> None:
    pair = translated_pair(mixed)
    assert propose_passage(assignment, pair, pair.passages[0].key) is None


def test_the_exports_have_the_mark(alice_client: Client, mixed: Report) -> None:
    pk = mixed.assignment_id
    written = alice_client.get(reverse("table", args=[pk, "pairs", "csv"])).getvalue().decode()
    rows = {(row["left"], row["right"]): row["mark"] for row in csv.DictReader(io.StringIO(written))}
    assert rows["ada", "ben"] == "translated"
    assert set(rows.values()) <= {"", "translated"}
    listed = json.loads(alice_client.get(reverse("table", args=[pk, "pairs", "json"])).getvalue())["pairs"]
    assert {(row["left"], row["right"]) for row in listed if row["mark"]} == {("ada", "ben")}


@pytest.mark.long
def test_a_class_of_two_languages_is_compared_across(hand_in: HandIn, assignment: Assignment) -> None:
    files = {path: (SOURCES / name).read_text() for path, name in CLASS.items()}
    java = {path: source for path, source in files.items() if path.endswith(".java")}
    hand_in(zipped(java))
    assert not Document.objects.exclude(coarse=b"").exists()
    hand_in(zipped({path: source for path, source in files.items() if path not in java}))
    report = Report.objects.get(assignment=assignment, state=Report.State.DONE)
    pair = translated_pair(report)
    assert (pair.left.name, pair.right.name) == ("ada", "ben")
    assert not Document.objects.filter(coarse=b"").exists()
