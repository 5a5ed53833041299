"""Passages on paper: which lines stand side by side, and what of a source can reach the page."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given, strategies as st

from submissions.pages.exports.aligned_lines import LinePair, align_lines
from submissions.pages.exports.paper import (
    ROW_CHARACTERS,
    PassageSide,
    PrintedSource,
    passage_rows,
    source_rows,
)
from submissions.pages.source_view.render import Layers, PassageMark, Spans, line_starts

steps = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


def printed_source(text: str, **layers: Spans) -> PrintedSource:  # type: ignore[type-arg]
    return PrintedSource(text, line_starts(text), Layers(**layers))


def marks(*spans: tuple[int, int, int]) -> Spans[PassageMark]:
    return Spans((start, end, PassageMark(start, end, number)) for start, end, number in spans)


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def test_lines_with_the_same_tokens_stand_side_by_side() -> None:
    lines = [(3, 10), (3, 10), (4, 12), (7, 13)]
    pairs = [(3, 10), (None, 11), (4, 12), (5, None), (6, None), (7, 13)]
    assert list(align_lines(lines, (7, 13))) == [LinePair(*pair) for pair in pairs]


def test_a_line_that_the_other_side_breaks_up_stands_beside_the_first_part() -> None:
    assert list(align_lines([(1, 1), (1, 2), (1, 3), (2, 4)], (2, 4))) == [
        LinePair(1, 1), LinePair(None, 2), LinePair(None, 3), LinePair(2, 4)
    ]  # fmt: skip


def test_lines_of_a_last_token_that_goes_on_are_kept() -> None:
    assert list(align_lines([(1, 1), (2, 2)], (4, 3))) == [
        LinePair(1, 1),
        LinePair(2, 2),
        LinePair(3, 3),
        LinePair(4, None),
    ]


@given(steps)
def test_every_line_of_both_sides_stands_in_one_row_and_in_order(steps: list[tuple[int, int]]) -> None:
    lines, left, right = [], 1, 1
    for down, across in steps:
        left, right = left + down, right + across
        lines.append((left, right))
    rows = list(align_lines(lines, (left, right)))
    assert [row.left for row in rows if row.left] == list(range(lines[0][0], left + 1))
    assert [row.right for row in rows if row.right] == list(range(lines[0][1], right + 1))


@given(steps)
def test_a_row_never_sets_a_token_beside_a_later_one(steps: list[tuple[int, int]]) -> None:
    lines, left, right = [], 1, 1
    for down, across in steps:
        left, right = left + down, right + across
        lines.append((left, right))
    rows = list(align_lines(lines, (left, right)))
    heights = {("left", row.left): n for n, row in enumerate(rows)}
    heights |= {("right", row.right): n for n, row in enumerate(rows)}
    alone = {(a, b) for a, b in lines if sum(a == c or b == d for c, d in set(lines)) == 1}
    assert all(heights["left", a] == heights["right", b] for a, b in alone)


@given(st.text(alphabet="ab <&\"'\n\r\t\u202e\x00\x1b\U0001f600é", max_size=60))
def test_everything_that_a_source_holds_is_shown_as_text(text: str) -> None:
    html = "".join(source_rows(printed_source(text)))
    assert set(re.findall(r"</?(\w+)", html)) <= {"tr", "td", "span"}
    assert not set(words(html)) & set("\x00\x1b\u202e")
    code = re.findall(r'<td class="code">(.*?)</td>', html, re.DOTALL)
    plain = re.sub(r"[\r\n]", "", text)
    spelt = plain.replace("\u202e", "⟨U+202E⟩").replace("\x00", "⟨U+0000⟩").replace("\x1b", "⟨U+001B⟩")
    assert "".join(map(words, code)) == spelt


def test_a_long_line_is_cut_into_rows_that_fit_a_page() -> None:
    text = "x" * 100_000 + "\nlast"
    rows = list(source_rows(printed_source(text)))
    assert len(rows) == -(-100_000 // ROW_CHARACTERS) + 1
    assert max(map(len, rows)) < ROW_CHARACTERS + 200
    assert [words(row)[:1] for row in rows[:3]] == ["1", "x", "x"]
    assert "".join(map(words, rows)) == "1" + "x" * 100_000 + "2last"


def test_sides_of_a_passage_keep_their_numbers() -> None:
    left, right = printed_source("one\ntwo\nthree\n"), printed_source("eins\nzwei\n")
    sides = PassageSide(left, range(2, 4)), PassageSide(right, range(1, 2))
    rows = list(passage_rows(*sides, [LinePair(2, 1), LinePair(3, None)]))
    assert [words(row) for row in rows] == ["2two1eins", "3three"]


def test_a_passage_is_marked_and_its_differences_underlined() -> None:
    text = "  total = best\n"
    (line,) = printed_source(text, marks=marks((0, 14, 3)), differing=Spans([(2, 7, "sum")])).lines()
    assert line.rows == ['  <mark class="c3"><u>total</u> = best</mark>']
    assert [mark.number for mark in line.marks] == [3]


def test_a_replaced_name_is_written_once_and_never_shown_in_part() -> None:
    text = "# by Ada\nLovelace, 1843\n" + "x" * (ROW_CHARACTERS - 2) + "Ada\n"
    spans = Spans([(5, 17, "Student 1"), (22 + ROW_CHARACTERS, 25 + ROW_CHARACTERS, "Student 1")])
    html = "".join(source_rows(printed_source(text, renamed=spans, differing=Spans([(5, 9, "Ben")]))))
    assert "Ada" not in html
    assert "Lovelace" not in html
    assert words(html).count("Student 1") == 2


def test_the_first_line_of_a_passage_has_its_badge() -> None:
    rows = list(source_rows(printed_source("a\nb\nc\n", marks=marks((2, 5, 1)))))
    assert "badge" not in rows[0]
    assert '<span class="badge c1">1</span>' in rows[1]
    assert '<span class="again c1">1</span>' in rows[2]
