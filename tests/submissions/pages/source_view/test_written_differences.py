from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.reading import read
from submissions.pages.source_view.written_differences import (
    DifferenceExample,
    DifferenceSummary,
    TokenRun,
    differences,
    shorten_lexeme,
    summarise_differences,
)
from submissions.storage.syntax_spans import syntax_spans
from tests.support.sample_class import COPIED, RENAMED, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import HandIn


def whole(source: str) -> TokenRun:
    found = read(source.encode(), "a.py")
    words = frozenset(start for start, _, css in syntax_spans(found.text, "python") if css.startswith("k"))
    return TokenRun(found.text, found.tokens, 0, len(found.tokens), words)


def compared(left: str, right: str) -> DifferenceSummary:
    here, there = whole(left), whole(right)
    return summarise_differences(here, there, differences(here, there))


def test_what_was_renamed_is_counted_and_the_commonest_change_comes_first() -> None:
    left = "total = 0\nfor x in xs:\n    total = total + x\n"
    found = compared(left, left.replace("total", "acc").replace("x in", "y in").replace("+ x", "+ y"))
    assert found == DifferenceSummary(
        5, 0, 0, 0, 0, [DifferenceExample("total", "acc", 3), DifferenceExample("x", "y", 2)]
    )
    assert found.tokens == 5
    assert found.category_counts == ["5 names"]


def test_each_token_that_differs_is_known_with_what_the_other_side_wrote() -> None:
    left, right = whole("a = b + 1\n"), whole("a = c + 1\n")
    assert [(at, here, there) for at, here, there in differences(left, right)] == [(2, "b", "c")]


def test_names_literals_and_keywords_are_counted_apart() -> None:
    found = compared("x = 1\nreturn 'a'\n", "y = 2\nreturn 'b'\n")
    assert (found.names, found.literals, found.keywords) == (1, 2, 0)
    assert found.category_counts == ["1 name", "2 literals"]


def test_a_keyword_that_is_folded_with_another_is_called_one() -> None:
    words = syntax_spans("return None", "python")
    run = TokenRun("return None", read(b"return None", "a.py").tokens, 0, 2, {s for s, _, _ in words})
    assert run.category(0) == "keywords"


def test_other_comments_are_counted_where_they_stand_and_other_layout_is_not() -> None:
    found = compared("a = 1\nb = 2\nc = 3\n", "a  =  1\n# two\nb = 2\n\n\nc = 3\n")
    assert found == DifferenceSummary(0, 0, 0, 0, 1, [])


def test_a_long_literal_is_cut_in_an_example() -> None:
    assert shorten_lexeme(f"'{'x' * 90}'") == f"'{'x' * 22}…"
    assert shorten_lexeme("'a\n  b'") == "'a b'"


def test_the_pair_page_says_what_was_renamed(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": RENAMED}))
    pair = assignment.reports.get().pairs.get()
    address = f"{assignment.get_absolute_url()}pairs/{pair.left_id}/{pair.right_id}/"
    page = alice_client.get(address).content.decode()
    assert "<code>value</code> → <code>item</code>" in page
    assert "in 2 of 2" in page
    assert "Written differently: " in page
    assert "From structure" in page
    assert '<i data-there="item">value</i>' in page
    assert '<i data-there="value">item</i>' in page
