"""Names and literals on their way through store, ranking and pages."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from fingerprint.languages import front_end
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms, term_lengths
from fingerprint.languages.vocabulary import MAX_LENGTH
from submissions.intake.packed_readings import pack_lexical, unpack_lexical
from submissions.models import Assignment, Document, Report
from submissions.pages.filters import percent
from tests.support.html import get_page


def terms(source: str) -> LexicalTerms:
    return lexical_terms([front_end("python").scan(source)])[0]


@given(st.lists(st.sampled_from(["a = 'some words'", "print(b, 12.5)", "# words", "c = d"])))
def test_packed_terms_come_back(lines: list[str]) -> None:
    original = terms("\n".join(lines))
    unpacked = unpack_lexical(pack_lexical(original))
    assert [column.tolist() for column in unpacked] == [column.tolist() for column in original]


def test_terms_are_distinct_and_know_their_length() -> None:
    lexical = terms("total = total + 12\nprint('abc', 'abc', \"" + "x" * 99 + '")\n')
    assert sorted(term_lengths(lexical.literals).tolist()) == [2, 3, MAX_LENGTH]
    assert sorted(term_lengths(lexical.names).tolist()) == [5, 5]


def test_an_import_is_a_term_of_its_own_and_a_comment_is_none() -> None:
    lexical = terms("import random  # a comment\n")
    assert [len(column) for column in lexical] == [0, 0, 1, 0]
    assert lexical.imports.tolist() == terms("import  random\n").imports.tolist()


def test_terms_are_stored_with_the_document_that_they_were_read_from(report: Report) -> None:
    for document in Document.objects.all():
        source = bytes(document.source.data).decode(errors="replace")
        if document.state == Document.State.READY:
            assert bytes(document.lexical) == pack_lexical(terms(source))


def test_a_stored_pair_says_what_each_kind_of_evidence_adds(report: Report) -> None:
    pairs = list(report.pairs.all())
    assert pairs
    for pair in pairs:
        assert pair.structure + pair.literals + pair.names + pair.imports == pytest.approx(pair.similarity)
        assert all(2 <= passage.submissions <= 3 for passage in pair.passages)


def test_literals_that_were_handed_out_add_nothing(
    report: Report, assignment: Assignment, starter: Callable[[], None]
) -> None:
    starter()
    (pair,) = assignment.reports.get().pairs.all()
    assert (pair.left.name, pair.right.name) == ("ada", "ben")
    assert 1 / 1.2 <= pair.similarity < 1


def test_a_report_suggests_a_threshold_and_says_why(report: Report) -> None:
    threshold = report.parameters["threshold"]
    assert 0 < threshold["value"] < 1
    assert "3 pairs are too few" in threshold["reason"]


def test_the_pair_page_says_in_how_many_submissions_a_passage_is(
    alice_client: Client, report: Report
) -> None:
    pair = report.pairs.all()[0]
    address = reverse("pair", args=[report.assignment_id, pair.left_id, pair.right_id])
    page = get_page(alice_client, address)
    assert "in at most 2 of 3" in page.texts(".passages .meta")
    assert page.terms(".figures")["From literals"] == percent(pair.literals)
