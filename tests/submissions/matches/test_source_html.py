import re
import sys
from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given, strategies as st

from submissions.matches.source_html import Layers, PassageMark, Spans, apart, colour, line_starts, visible_html
from submissions.pages.filters import percent
from submissions.pairs.source_view import LONG_LINE, Anchors, source_part
from tests.support.html import Page

LEFT = Anchors("L")


def layers_of(
    styles: Iterable[tuple[int, int, str]] = (),
    marks: Iterable[PassageMark] = (),
    ignored: Iterable[tuple[int, int]] = (),
    differing: Iterable[tuple[int, int, str]] = (),
    renamed: Iterable[tuple[int, int, str]] = (),
) -> Layers:
    return Layers(
        styles=Spans(styles),
        marks=Spans((mark.start, mark.end, mark) for mark in marks),
        ignored=Spans((*span, None) for span in ignored),
        differing=Spans(differing),
        renamed=Spans(renamed),
    )


def render(text: str, layers: Layers, anchors: Anchors = LEFT) -> Page:
    return Page(source_part(text, line_starts(text), layers, anchors, start=0, size=sys.maxsize).html())


def visible_source(page: Page, selector: str = "body") -> str:
    """Return the text that a reader sees in the elements, without badges and with all white space."""
    source = Page(page.html)
    for badge in source.all("a.badge"):
        badge.decompose()
    return "".join(node.text(deep=True, separator="") for node in source.all(selector))


@st.composite
def marked_sources(draw: st.DrawFn) -> tuple[str, list[PassageMark], Layers]:
    text = draw(st.text(alphabet='ab<&" \t\n\r\u202e\U0001f600', max_size=60))

    def spans() -> list[tuple[int, int]]:
        edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
        return list(zip(edges[::2], edges[1::2], strict=False))

    marks = [PassageMark(start, end, n, f"Passage {n}") for n, (start, end) in enumerate(spans(), 1)]
    styles, differing = ([(start, end, value) for start, end in spans()] for value in ("k", "other"))
    return text, marks, layers_of(styles, marks, spans(), differing)


@given(marked_sources())
def test_every_character_is_shown_once_in_order(marked_source: tuple[str, list[PassageMark], Layers]) -> None:
    text, _, layers = marked_source
    lines = re.split(r"\r\n|\r|\n", text)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    expected = "".join(f"{line}\n" for line in lines).replace("\u202e", "‹U+202E›")
    assert visible_source(render(text, layers)) == expected


@given(marked_sources())
def test_marks_hold_just_the_code_of_a_passage(marked_source: tuple[str, list[PassageMark], Layers]) -> None:
    text, marks, layers = marked_source
    page = render(text, layers)
    for mark in marks:
        marked = visible_source(page, f'mark[data-passage="{mark.number}"]')
        expected = text[mark.start : mark.end].replace("\u202e", "‹U+202E›")
        assert re.sub(r"\s", "", marked) == re.sub(r"\s", "", expected)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 9), st.sampled_from(["", "gap"])), max_size=6))
def test_of_marks_at_one_place_a_part_that_both_sides_have_is_shown_or_else_the_one_that_begins_last(
    spans: list[tuple[int, int, str]],
) -> None:
    marks = [PassageMark(start, start + size, n, kind=kind) for n, (start, size, kind) in enumerate(spans)]
    shown = list(apart(marks))
    assert all(one.end <= other.start for one, other in pairwise(shown))
    for at in range(22):
        here = [mark for mark in marks if mark.start <= at < mark.end]
        seen = [marks[mark.number] for mark in shown if mark.start <= at < mark.end]
        first = max((not mark.kind, mark.start, -mark.end) for mark in here) if here else None
        assert [(not mark.kind, mark.start, -mark.end) for mark in seen] == [first] * bool(here)


@given(marked_sources())
def test_each_passage_with_code_has_one_badge(marked_source: tuple[str, list[PassageMark], Layers]) -> None:
    text, marks, layers = marked_source
    page = render(text, layers)
    for mark in marks:
        if text[mark.start : mark.end].strip():
            badge = page.one(f"a.badge#L-p{mark.number}")
            assert badge.attributes["href"] == f"#R-p{mark.number}"


def test_figures_are_rounded_downwards_but_never_to_nothing() -> None:
    expected = {0: "0", 0.001: "<1", 0.127: "12", 0.997: "99", 1: "100"}
    assert {share: percent(share) for share in expected} == {
        share: f"{text}\u202f%" for share, text in expected.items()
    }


def test_lines_count_from_1_and_can_be_linked_to() -> None:
    page = render("a\r\nb\rc\n", Layers())
    assert page.values(".line", "id") == ["L1", "L2", "L3"]
    assert page.values(".line", "data-n") == ["1", "2", "3"]
    assert render("a", Layers(), Anchors("R", 2)).values(".line", "id") == ["R2-1"]


def test_lines_of_a_notebook_count_in_their_cells() -> None:
    text = "───── cell 1, python ─────\na\nb\n───── cell 2, text ─────\nc\n"
    part = source_part(text, line_starts(text), Layers(), Anchors("L", 1), cells=[1, 4], start=0, size=10_000)
    assert Page(part.html()).values(".line", "data-in-cell") == ["", "1", "2", "", "1"]


def test_an_empty_source_has_one_empty_line() -> None:
    assert list(line_starts("")) == [0]
    page = render("", Layers())
    assert page.values(".line", "class") == ["line"]
    assert visible_source(page) == "\n"


def test_markup_in_a_source_is_text() -> None:
    source = "</script><img src=x onerror='alert(1)'>"
    page = render(source, layers_of([(0, 9, "k")]))
    assert {node.tag for node in page.all("body *")} == {"span"}
    assert visible_source(page) == f"{source}\n"


def test_what_cannot_be_seen_or_would_mislead_is_spelt_out() -> None:
    for code, name in ((0x202E, "RIGHT-TO-LEFT OVERRIDE"), (0x0, "control"), (0x1B, "control"), (0xD800, "")):
        html = visible_html(f"a{chr(code)}b")
        page = Page(html)
        assert page.text() == f"a‹U+{code:04X}›b"
        assert name in page.values(".unseen", "title")[0]
        assert chr(code) not in html
        html.encode()


def test_ignored_code_is_grey_and_loses_its_colours() -> None:
    styles = [(0, 2, "k")]
    assert render("if x", layers_of(styles)).texts(".k") == ["if"]
    page = render("if x", layers_of(styles, ignored=[(0, 4)]))
    assert "if" in page.texts(".ignored")
    assert not page.has(".k")


def test_a_passage_has_its_colour_on_every_line_of_it_even_blank_ones() -> None:
    page = render("a\n\nb", layers_of(marks=[PassageMark(0, 4, 10, "")]))
    assert page.values(".line", "class") == ["line in c3"] * 3


def test_colours_repeat_after_the_seventh() -> None:
    assert [colour(n) for n in (1, 7, 8)] == [1, 7, 1]


def test_the_rest_of_a_long_line_is_collapsed_and_nothing_of_it_is_lost() -> None:
    text = "x" * 100_000
    page = render(text, layers_of(marks=[PassageMark(0, len(text), 1, "")]))
    assert len(page.all(".line")) == 1
    assert page.text(".line > details.rest > summary") == "98,000 more characters"
    assert [len(marked) for marked in page.texts("mark")] == [LONG_LINE, 98_000]
    assert page.text("details.rest > mark") == page.texts("mark")[1]
    assert visible_source(page).replace("98,000 more characters", "") == f"{text}\n"
    assert len(page.all(".badge")) == 1


def test_a_line_that_is_just_long_enough_is_whole() -> None:
    page = render("x" * LONG_LINE + "\r\n", Layers())
    assert not page.has("details")
    assert visible_source(page) == "x" * LONG_LINE + "\n"


def test_a_token_says_how_the_other_side_writes_it() -> None:
    page = render("a = b", layers_of([(0, 1, "nb")], differing=[(0, 1, '"<\u202e')]))
    assert page.text("i.nb") == "a"
    assert page.values("i", "data-there") == ['"<‹U+202E›']


def test_a_name_is_replaced_once_and_nothing_of_it_is_left() -> None:
    text = "# by Ada Lovelace\nx = 1"
    layers = layers_of([(0, 17, "c1")], [PassageMark(7, 23, 1, "")], renamed=[(5, 17, "Otter <1>")])
    page = render(text, layers)
    assert "Ada" not in page.html
    assert "Lovelace" not in page.html
    assert visible_source(page) == "# by Otter <1>\nx = 1\n"
