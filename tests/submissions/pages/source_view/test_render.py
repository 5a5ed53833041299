from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from hypothesis import given, strategies as st

from submissions.pages.source_view.render import Layers, PassageMark, Spans, colour, line_starts
from submissions.pages.source_view.screen import LONG_LINE, Anchors, source_html
from submissions.pages.source_view.visible import visible_html
from submissions.pages.templatetags.pages import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

LEFT = Anchors("L")
TAG = re.compile(r"<[^>]*>")
BADGE = re.compile(r'<a class="badge[^>]*>\d+</a>')
MARKED = re.compile(r'<mark class="c\d" data-passage="(\d+)">(.*?)</mark>', re.DOTALL)


def drawn(
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


def html_of(text: str, layers: Layers, anchors: Anchors = LEFT) -> str:
    return source_html(text, line_starts(text), layers, anchors)


def shown(html: str) -> str:
    """Give what a reader sees, without badges."""
    return unescape(TAG.sub("", BADGE.sub("", html)))


@st.composite
def drawings(draw: st.DrawFn) -> tuple[str, list[PassageMark], Layers]:
    text = draw(st.text(alphabet='ab<&" \t\n\r\u202e\U0001f600', max_size=60))

    def spans() -> list[tuple[int, int]]:
        edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
        return list(zip(edges[::2], edges[1::2], strict=False))

    marks = [PassageMark(start, end, n, f"Passage {n}") for n, (start, end) in enumerate(spans(), 1)]
    styles, differing = ([(start, end, sort) for start, end in spans()] for sort in ("k", "other"))
    return text, marks, drawn(styles, marks, spans(), differing)


@given(drawings())
def test_every_character_of_a_source_is_shown_once_and_in_order(
    drawing: tuple[str, list[PassageMark], Layers],
) -> None:
    text, _, layers = drawing
    html = html_of(text, layers)
    lines = re.split(r"\r\n|\r|\n", text)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    assert shown(html) == "".join(f"{line}\n" for line in lines).replace("\u202e", "⟨U+202E⟩")


@given(drawings())
def test_marks_hold_exactly_the_code_of_their_passage(
    drawing: tuple[str, list[PassageMark], Layers],
) -> None:
    text, marks, layers = drawing
    html = BADGE.sub("", html_of(text, layers))
    for mark in marks:
        marked = "".join(shown(body) for number, body in MARKED.findall(html) if int(number) == mark.number)
        wanted = text[mark.start : mark.end].replace("\u202e", "⟨U+202E⟩")
        assert re.sub(r"\s", "", marked) == re.sub(r"\s", "", wanted)


@given(drawings())
def test_each_passage_with_code_has_one_badge_that_leads_to_the_other_side(
    drawing: tuple[str, list[PassageMark], Layers],
) -> None:
    text, marks, layers = drawing
    html = html_of(text, layers)
    for mark in marks:
        if text[mark.start : mark.end].strip():
            assert html.count(f'id="L-p{mark.number}" href="#R-p{mark.number}"') == 1


def test_figures_are_rounded_but_never_to_all_or_nothing() -> None:
    wanted = {0: "0", 0.001: "<1", 0.127: "13", 0.997: "99", 1: "100"}
    assert {share: percent(share) for share in wanted} == {
        share: f"{text}\u202f%" for share, text in wanted.items()
    }


def test_lines_count_from_1_and_can_be_linked_to() -> None:
    html = html_of("a\r\nb\rc\n", Layers())
    assert re.findall(r'id="(L\d+)" data-n="(\d+)"', html) == [("L1", "1"), ("L2", "2"), ("L3", "3")]
    assert 'id="R2-1"' in html_of("a", Layers(), Anchors("R", 2))


def test_an_empty_source_has_one_empty_line() -> None:
    assert line_starts("") == [0]
    assert html_of("", Layers()).count('class="line"') == 1


def test_markup_in_a_source_is_text() -> None:
    html = html_of("</script><img src=x onerror='alert(1)'>", drawn([(0, 9, "k")]))
    assert "<img" not in html
    assert "</script>" not in html
    assert shown(html) == "</script><img src=x onerror='alert(1)'>\n"


def test_what_cannot_be_seen_or_would_mislead_is_spelt_out() -> None:
    for code, name in ((0x202E, "RIGHT-TO-LEFT OVERRIDE"), (0x0, "control"), (0x1B, "control"), (0xD800, "")):
        html = visible_html(f"a{chr(code)}b")
        assert f"⟨U+{code:04X}⟩" in html
        assert name in html
        assert chr(code) not in html
        html.encode()


def test_ignored_code_is_grey_and_loses_its_colours() -> None:
    html = html_of("if x", drawn([(0, 2, "k")], ignored=[(0, 4)]))
    assert '<span class="ignored">if</span>' in html
    assert 'class="k"' not in html


def test_a_passage_has_its_colour_on_every_line_of_it_even_blank_ones() -> None:
    html = html_of("a\n\nb", drawn(marks=[PassageMark(0, 4, 10, "")]))
    assert html.count('class="line in c3"') == 3


def test_colours_repeat_after_the_seventh() -> None:
    assert [colour(n) for n in (1, 7, 8)] == [1, 7, 1]


def test_what_follows_in_a_long_line_is_folded_up_and_nothing_of_it_is_lost() -> None:
    text = "x" * 100_000
    html = html_of(text, drawn(marks=[PassageMark(0, len(text), 1, "")]))
    assert html.count('class="line') == 1
    head, rest = html.split('<details class="rest">')
    assert shown(head).count("x") == LONG_LINE
    assert "98,000 more characters" in rest
    assert shown(html.replace("98,000 more characters", "")) == f"{text}\n"
    assert [len(body) for _, body in MARKED.findall(html)] == [LONG_LINE, 98_000]
    assert html.count('class="badge') == 1


def test_a_line_that_is_just_long_enough_is_whole() -> None:
    assert "<details" not in html_of("x" * LONG_LINE + "\r\n", Layers())


def test_a_token_says_how_the_other_side_writes_it() -> None:
    html = html_of("a = b", drawn([(0, 1, "nb")], differing=[(0, 1, '"<\u202e')]))
    assert '<i class="nb" data-there="&quot;&lt;⟨U+202E⟩">a</i>' in html


def test_a_name_is_replaced_once_and_nothing_of_it_is_left() -> None:
    text = "# by Ada Lovelace\nx = 1"
    layers = drawn([(0, 17, "c1")], [PassageMark(7, 23, 1, "")], renamed=[(5, 17, "Otter <1>")])
    html = html_of(text, layers)
    assert "Ada" not in html
    assert "Lovelace" not in html
    assert shown(html) == "# by Otter <1>\nx = 1\n"
