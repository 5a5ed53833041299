"""Pages and documents of a pair that shares names, a message and an import, but no passage."""

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Pair
from submissions.pages.filters import percent
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.rewritten import ORIGINAL, REWRITTEN
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn


@pytest.fixture
def pair(hand_in: HandIn) -> Pair:
    files = {"ada/a.py": ORIGINAL, "ben/b.py": REWRITTEN}
    stored("a pair without a passage", lambda: hand_in(zipped(files)))
    return Pair.objects.get()


def address(name: str, pair: Pair) -> str:
    return reverse(name, args=[pair.report.assignment_id, pair.left_id, pair.right_id])


@pytest.mark.long
def test_the_pair_page_says_so_and_lists_what_is_shared(alice_client: Client, pair: Pair) -> None:
    page = get_page(alice_client, reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id]))
    assert page.texts(".summary") == [
        "ada and ben share no run of nine tokens: the similarity comes from literals, names and imports."
    ]
    assert any("These two share no passage of 9 tokens" in text for text in page.texts(".notice"))
    rows = page.rows(".terms tbody tr")
    assert ['"boat has overstayed its berth"', "literal", "a.py, line 7", "b.py, line 4"] in rows
    assert ["import shipping_register", "import", "a.py, line 1", "b.py, line 1"] in rows
    assert page.terms(".figures")["From structure"] == percent(0.0)
    assert "common code" not in page.text("main")


def test_the_list_of_pairs_does_not_call_it_common_code(alice_client: Client, pair: Pair) -> None:
    page = get_page(alice_client, reverse("pairs", args=[pair.report.assignment_id]))
    assert page.texts("tr.pair td.tokens") == ["no equal passage"]
    submission = get_page(alice_client, reverse("submission", args=[pair.report.assignment_id, pair.left_id]))
    assert "no equal passage" in submission.text("table.matches")


def test_a_document_of_the_pair_has_what_is_shared(alice_client: Client, pair: Pair) -> None:
    page = get_page(alice_client, address("export_pair", pair) + "?format=html&names=open")
    assert any("These two share no passage of 9 tokens" in text for text in page.texts(".notice"))
    assert ["import shipping_register", "import", "a.py, line 1", "b.py, line 1"] in page.rows(".terms tr")
