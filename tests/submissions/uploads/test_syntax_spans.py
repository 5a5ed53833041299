import pytest
from hypothesis import given, strategies as st

from submissions.intake.packed_readings import (
    COLOURED_CHARACTERS,
    pack_spans,
    span_columns,
    syntax_spans,
    unpack_spans,
)
from submissions.models import Document
from submissions.uploads.stored_documents import stored_spans
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import CountQueries, HandIn


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["k", "s1", "nf"]))))
def test_packed_styles_come_back(steps: list[tuple[int, int, str]]) -> None:
    spans, offset = [], 0
    for gap, length, css in steps:
        spans.append((offset + gap, offset + gap + length, css))
        offset += gap + length
    assert list(unpack_spans(pack_spans(span_columns(spans)))) == spans


def test_a_document_without_styles_differs_from_one_with_unknown_styles() -> None:
    assert pack_spans(span_columns([]))
    assert list(unpack_spans(pack_spans(span_columns([])))) == []


def test_only_what_the_stylesheet_colours_is_kept() -> None:
    assert syntax_spans("if x: pass  # no\n", "python") == [(0, 2, "k"), (6, 10, "k"), (12, 16, "c1")]


def test_a_very_long_file_is_shown_without_colours() -> None:
    assert syntax_spans("if\n" * (COLOURED_CHARACTERS // 2), "python") == []


@pytest.mark.long
def test_a_worker_stores_the_styles_with_the_tokens(hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    for document in Document.objects.select_related("source"):
        text = bytes(document.source.data).decode()
        assert list(unpack_spans(bytes(document.styles))) == syntax_spans(text, "python") != []


@pytest.mark.long
def test_an_older_document_gets_its_styles_when_it_is_first_shown(
    hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    hand_in(zipped(CLASS))
    document = Document.objects.select_related("source").order_by("pk")[0]
    text, styles = bytes(document.source.data).decode(), bytes(document.styles)
    Document.objects.filter(pk=document.pk).update(styles=b"")
    document.refresh_from_db(fields=["styles"])
    assert list(stored_spans(document, text)) == syntax_spans(text, "python")
    document.refresh_from_db(fields=["styles"])
    assert bytes(document.styles) == styles
    with django_assert_num_queries(0):
        assert list(stored_spans(document, text)) == syntax_spans(text, "python")


def test_a_failed_document_has_no_styles(hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    document = Document.objects.order_by("pk")[0]
    document.styles, document.state = b"", Document.State.FAILED
    assert list(stored_spans(document, "if x")) == []
