from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, strategies as st

from submissions.models import Document
from submissions.storage.syntax_spans import (
    COLOURED_CHARACTERS,
    pack_styles,
    styles_in,
    styles_of,
    unpack_styles,
)
from tests.cast import CLASS, zipped

if TYPE_CHECKING:
    from tests.handing_in import CountQueries, HandIn


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["k", "s1", "nf"]))))
def test_packed_styles_come_back(steps: list[tuple[int, int, str]]) -> None:
    spans, at = [], 0
    for gap, length, css in steps:
        spans.append((at + gap, at + gap + length, css))
        at += gap + length
    assert list(unpack_styles(pack_styles(spans))) == spans


def test_styles_that_are_known_to_be_none_are_told_from_unknown_ones() -> None:
    assert pack_styles([])
    assert list(unpack_styles(pack_styles([]))) == []


def test_only_what_the_stylesheet_colours_is_kept() -> None:
    assert styles_in("if x: pass  # no\n", "python") == [(0, 2, "k"), (6, 10, "k"), (12, 16, "c1")]


def test_a_very_long_file_is_shown_without_colours() -> None:
    assert styles_in("if\n" * (COLOURED_CHARACTERS // 2), "python") == []


def test_a_worker_stores_the_styles_with_the_tokens(hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    for document in Document.objects.select_related("source"):
        text = bytes(document.source.data).decode()
        assert list(unpack_styles(bytes(document.styles))) == styles_in(text, "python") != []


def test_an_older_document_gets_its_styles_when_it_is_first_shown(
    hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    hand_in(zipped(CLASS))
    document = Document.objects.select_related("source").order_by("pk")[0]
    text, wanted = bytes(document.source.data).decode(), bytes(document.styles)
    Document.objects.filter(pk=document.pk).update(styles=b"")
    document.refresh_from_db(fields=["styles"])
    assert list(styles_of(document, text)) == styles_in(text, "python")
    document.refresh_from_db(fields=["styles"])
    assert bytes(document.styles) == wanted
    with django_assert_num_queries(0):
        assert list(styles_of(document, text)) == styles_in(text, "python")


def test_a_document_that_failed_has_none(hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    document = Document.objects.order_by("pk")[0]
    document.styles, document.state = b"", Document.State.FAILED
    assert list(styles_of(document, "if x")) == []
