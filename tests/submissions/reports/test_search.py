"""A name is found whatever the case and the accents, in every field that searches names."""

import csv
from collections.abc import Iterable
from typing import cast

import pytest
from django.test import Client
from django.urls import reverse

from submissions.core.names import search_words
from submissions.models import Assignment, Report
from tests.support.html import get_page
from tests.support.reports import create_report

SPELLINGS = ("muller", "MULLER", "Müller", "mueller", "Mu\u0308ller", "zoe mull")
# Where names are searched, and what the names are in.
FIELDS = {"assignment": "table.cases .members", "pairs": "tr.pair .left", "students": ".roll tbody th"}


@pytest.fixture
def report(assignment: Assignment) -> Report:
    pairs = {("Zoë Müller", "Łukasz Strauß"): 0.9, ("ben", "cleo"): 0.8, ("Zoë Müller", "cleo"): 0.2}
    return create_report(assignment, pairs)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", SPELLINGS)
def test_accents_do_not_hide_a_name(field: str, text: str, report: Report, alice_client: Client) -> None:
    page = get_page(alice_client, reverse(field, args=[report.assignment_id]), q=text)
    texts = page.texts(FIELDS[field])
    assert texts
    assert not any("ben" in text for text in texts)
    assert any("Müller" in text for text in texts)


@pytest.mark.parametrize(("table", "column"), [("submissions", "submission"), ("pairs", "left")])
def test_a_table_has_the_names_that_are_found_without_their_accents(
    table: str, column: str, report: Report, alice_client: Client
) -> None:
    address = reverse("table", args=[report.assignment_id, table, "csv"])
    response = alice_client.get(address, {"q": "muller"})
    rows = csv.DictReader(b"".join(cast("Iterable[bytes]", response)).decode().splitlines())
    assert "Zoë Müller" in {row[column] for row in rows}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("lukasz", "Łukasz Strauß"),
        ("strauss luk", "Łukasz Strauß"),
        ("Strauß", "STRAUSS"),
        ("soren", "Søren"),
        ("soeren", "Søren"),
        ("ås", "Åse"),
        ("", "anybody"),
    ],
)
def test_every_word_of_a_search_is_in_the_name(text: str, name: str) -> None:
    assert all(word.is_in(name) for word in search_words(text))


@pytest.mark.parametrize(("text", "name"), [("mueller", "Muller"), ("miller", "Müller"), ("zoe ben", "Zoë")])
def test_a_name_without_one_of_the_words_is_not_found(text: str, name: str) -> None:
    assert not all(word.is_in(name) for word in search_words(text))
