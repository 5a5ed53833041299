from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.reading import read
from submissions.folded import Excerpt, Folded, folded
from tests.cast import COPIED, RENAMED, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.handing_in import HandIn


def whole(source: str) -> Excerpt:
    found = read(source.encode(), "a.py")
    return Excerpt(found.text, found.tokens, 0, len(found.tokens))


def test_what_was_renamed_is_counted_and_the_commonest_change_comes_first() -> None:
    left = "total = 0\nfor x in xs:\n    total = total + x\n"
    found = folded(
        whole(left), whole(left.replace("total", "acc").replace("x in", "y in").replace("+ x", "+ y"))
    )
    assert found == Folded(5, 0, [("total", "acc"), ("x", "y")])


def test_other_comments_are_counted_where_they_stand_and_other_layout_is_not() -> None:
    left, right = "a = 1\nb = 2\nc = 3\n", "a  =  1\n# two\nb = 2\n\n\nc = 3\n"
    assert folded(whole(left), whole(right)) == Folded(0, 1, [])


def test_a_long_literal_is_cut_in_an_example() -> None:
    found = folded(whole(f"a = '{'x' * 90}'\n"), whole("a = 'y'\n"))
    assert [len(found.examples[0][0]), found.examples[0][1]] == [24, "'y'"]


def test_the_pair_page_says_what_was_renamed(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": RENAMED}))
    pair = assignment.reports.get().pairs.get()
    address = f"{assignment.get_absolute_url()}pairs/{pair.left_id}/{pair.right_id}/"
    page = alice_client.get(address).content.decode()
    assert "<code>value</code> → <code>item</code>" in page
    assert "in 2 of 2" in page
    assert "From structure" in page
