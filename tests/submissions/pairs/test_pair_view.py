"""The view of a pair: remarks on unusual files, passages, and replaced names."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from fingerprint.engine import passage_weight
from fingerprint.ranking.score_constants import RARITY_EXPONENT
from fingerprint.ranking.weights import rarity
from submissions.core.names import redacted_names
from submissions.models import Assignment, Pair
from submissions.pairs.pair_view import PairView, view_pair
from tests.support.html import Page, page_of
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, zipped
from tests.support.uploads import HandIn


@pytest.fixture
def view_of(hand_in: HandIn, assignment: Assignment) -> Callable[..., PairView]:
    """Return a function that hands in the files of two submissions and views their pair."""

    def view(files: dict[str, str | bytes], *hidden: str) -> PairView:
        hand_in(zipped(files))
        return view_pair(Pair.objects.filter(report__assignment=assignment)[0], redacted_names(hidden))

    return view


def notices(view: PairView) -> str:
    return " ".join(view.sides[0].files[0].notices)


def test_an_ordinary_file_has_no_remarks(view_of: Callable[..., PairView]) -> None:
    view = view_of({"ada/m.py": COPIED, "ben/m.py": RENAMED.replace("\n", "\r\n")})
    assert [file.notices for side in view.sides for file in side.files] == [[], []]


def test_characters_that_cannot_be_seen_are_counted_and_named(view_of: Callable[..., PairView]) -> None:
    odd = COPIED + "# \u202eevil\u202c \u200b\u200b \x1b[31m\n"
    assert notices(view_of({"ada/m.py": odd, "ben/m.py": RENAMED})) == (
        "Has 5 invisible or misleading characters, each marked in red: "
        "U+200B ZERO WIDTH SPACE, 2 of them; U+202E RIGHT-TO-LEFT OVERRIDE, 1 of them; "
        "U+202C POP DIRECTIONAL FORMATTING, 1 of them; U+001B control character, 1 of them."
    )


@pytest.mark.long
def test_another_encoding_than_utf_8_is_named(view_of: Callable[..., PairView]) -> None:
    latin = (COPIED + "# caf\xe9 \xe0 la carte, d\xe9j\xe0 vu\n").encode("cp1252")
    view = view_of({"ada/m.py": latin, "ben/m.py": RENAMED})
    assert "Not in UTF-8; read as windows-1252." in notices(view)
    assert "# café à la carte" in Page(view.sides[0].files[0].html).text()


def test_bytes_that_could_not_be_decoded_are_counted(view_of: Callable[..., PairView]) -> None:
    damaged = (COPIED + "# größer, süß, Gruß, ähnlich, öfter\n").encode() + b"# \xff\n"
    assert notices(view_of({"ada/m.py": damaged, "ben/m.py": RENAMED})) == (
        "1 character could not be decoded and is shown as \ufffd."
    )


@pytest.mark.long
def test_the_longest_line_is_named(view_of: Callable[..., PairView]) -> None:
    long, longer = f"s = '{'y' * 5_000}'\n", f"t = '{'z' * 100_000}'\n"
    view = view_of({"ada/m.py": long + COPIED, "ben/m.py": long + RENAMED + longer})
    assert notices(view).startswith("Line 1 has 5,006 characters; click to see those after the first 2,000")
    assert view.sides[1].files[0].notices[0].startswith("The longest of 2 long lines has 100,006 characters")


def test_passages_are_numbered_by_weight_and_know_their_lines(view_of: Callable[..., PairView]) -> None:
    view = view_of(
        {"ada/m.py": STARTER + COPIED, "ben/m.py": COPIED + "x = 1\n" + STARTER, "cleo/m.py": STARTER}
    )
    weights = [passage_weight(passage.tokens, passage.submissions) for passage in view.passages]
    assert weights == sorted(weights, reverse=True)
    assert [passage.number for passage in view.passages] == [1, 2]
    assert [location.first_line for location in view.passages[0].locations] == [7, 2]


def test_a_passage_weighs_as_the_score_weighs_it() -> None:
    for submissions in (1, 2, 3, 10, 180):
        weight = rarity(np.array([submissions]), RARITY_EXPONENT)[0]
        assert passage_weight(100, submissions) == pytest.approx(100 * float(weight))


@pytest.mark.long
def test_the_map_shows_every_passage_and_no_bar_is_invisible(view_of: Callable[..., PairView]) -> None:
    view = view_of({"ada/m.py": "x = 1\n" * 3_000 + COPIED, "ben/m.py": RENAMED + HONEST})
    left, right = (side.files[0] for side in view.sides)
    assert {bar.number for bar in left.bars} >= {passage.number for passage in view.passages}
    assert min(bar.height for bar in left.bars) > left.line_count / 300
    assert right.map_lines == 120
    assert all(0 <= bar.top < file.line_count for file in (left, right) for bar in file.bars)


@pytest.mark.long
def test_names_are_replaced_in_paths_sources_and_examples(view_of: Callable[..., PairView]) -> None:
    ben = f"# written by Ben Okri\nauthor = 'Ben Okri'\n{RENAMED}"
    files = {"ada-lovelace/m.py": f"author = 'x'\n{COPIED}", "ben-okri/ben-okri.py": ben}
    view = view_of(files, "ben-okri")
    file = view.sides[1].files[0]
    assert file.path == "another student.py"
    assert "Okri" not in file.html
    assert Page(file.html).texts("span.made-up") == ["another student"] * 2
    assert "Okri" not in view.sides[0].files[0].html
    examples = [example for passage in view.passages for example in passage.differences.examples]
    assert not any("Okri" in example.right for example in examples)


@pytest.mark.long
def test_an_anonymous_page_of_a_pair_names_nobody(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    ben = f"# Ben Okri\n{RENAMED}"
    hand_in(zipped({"ada-lovelace/m.py": COPIED, "ben-okri/src/ben-okri.py": ben}))
    pair = Pair.objects.get(report__assignment=assignment)
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    address = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
    page = page_of(alice_client.get(address, follow=True))
    assert page.texts(".side .made-up")
    assert not re.search("lovelace|okri", page.html, re.IGNORECASE)
