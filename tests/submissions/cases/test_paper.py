"""Passages on paper: which lines stand side by side, and which parts of a source reach the page."""

import re
from collections.abc import Iterable

from hypothesis import given, strategies as st

from submissions.matches.differences import LinePair, align_lines
from submissions.matches.source_html import Layers, PassageMark, Spans, line_starts
from submissions.pages.paper import ROW_CHARACTERS, PassageSide, PrintedSource, passage_rows, source_rows
from tests.support.html import Page

steps = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


def printed_source(text: str, **layers: Spans) -> PrintedSource:  # type: ignore[type-arg]
    return PrintedSource(text, line_starts(text), Layers(**layers))


def marks(*spans: tuple[int, int, int]) -> Spans[PassageMark]:
    return Spans((start, end, PassageMark(start, end, number)) for start, end, number in spans)


def table_of(rows: Iterable[str]) -> Page:
    return Page(f"<table><tbody>{''.join(rows)}</tbody></table>")


def printed_texts(page: Page, selector: str) -> list[str]:
    """Return the text of each element, with all white space."""
    return [node.text(deep=True, separator="") for node in page.all(selector)]


def numbered(line: int) -> str:
    """Return the text of a line that equals no line with another number."""
    return f"line {line}"


def left_text(line: int) -> str:
    return f"left {line}"


UNEQUAL = left_text, numbered


def test_lines_with_the_same_tokens_stand_side_by_side() -> None:
    lines = [(3, 10), (3, 10), (4, 12), (7, 13)]
    pairs = [(3, 10), (None, 11), (4, 12), (5, None), (6, None), (7, 13)]
    assert list(align_lines(lines, (7, 13), UNEQUAL)) == [LinePair(*pair) for pair in pairs]


def test_a_line_that_the_other_side_breaks_up_stands_beside_the_first_part() -> None:
    assert list(align_lines([(1, 1), (1, 2), (1, 3), (2, 4)], (2, 4), UNEQUAL)) == [
        LinePair(1, 1), LinePair(None, 2), LinePair(None, 3), LinePair(2, 4)
    ]  # fmt: skip


def test_lines_of_a_last_token_that_goes_on_are_kept() -> None:
    assert list(align_lines([(1, 1), (2, 2)], (4, 3), UNEQUAL)) == [
        LinePair(1, 1),
        LinePair(2, 2),
        LinePair(3, 3),
        LinePair(4, None),
    ]


def test_equal_remarks_between_tokens_stand_side_by_side() -> None:
    left, right = ["f(", "# a", "# b", "", "x)"], ["f(", "# new", "", "# a", "#  b", "x)"]
    texts = (lambda line: left[line - 1]), (lambda line: right[line - 1])
    pairs = [(1, 1), (None, 2), (None, 3), (2, 4), (3, 5), (4, None), (5, 6)]
    assert list(align_lines([(1, 1), (5, 6)], (5, 6), texts)) == [LinePair(*pair) for pair in pairs]


def token_lines(steps: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return the lines of each token on both sides, and the last ones, from the steps between tokens."""
    lines, left, right = [], 1, 1
    for left_step, right_step in steps:
        left, right = left + left_step, right + right_step
        lines.append((left, right))
    return lines, (left, right)


@given(steps)
def test_every_line_of_both_sides_stands_in_one_row_and_in_order(steps: list[tuple[int, int]]) -> None:
    lines, (left, right) = token_lines(steps)
    rows = list(align_lines(lines, (left, right), (numbered, numbered)))
    assert [row.left for row in rows if row.left] == list(range(lines[0][0], left + 1))
    assert [row.right for row in rows if row.right] == list(range(lines[0][1], right + 1))


@given(steps)
def test_a_row_never_sets_a_token_beside_a_later_one(steps: list[tuple[int, int]]) -> None:
    lines, last_lines = token_lines(steps)
    rows = list(align_lines(lines, last_lines, (numbered, numbered)))
    heights = {("left", row.left): n for n, row in enumerate(rows)}
    heights |= {("right", row.right): n for n, row in enumerate(rows)}
    unambiguous = {(a, b) for a, b in lines if sum(a == c or b == d for c, d in set(lines)) == 1}
    assert all(heights["left", a] == heights["right", b] for a, b in unambiguous)


@given(st.text(alphabet="ab <&\"'\n\r\t\u202e\x00\x1b\U0001f600é", max_size=60))
def test_everything_in_a_source_is_shown_as_text(text: str) -> None:
    page = table_of(source_rows(printed_source(text)))
    assert {node.tag for node in page.all("body *")} <= {"table", "tbody", "tr", "td", "span"}
    assert not set(page.html) & set("\x00\x1b\u202e")
    plain = re.sub(r"[\r\n]", "", text)
    spelt = plain.replace("\u202e", "‹U+202E›").replace("\x00", "‹U+0000›").replace("\x1b", "‹U+001B›")
    assert "".join(printed_texts(page, "td.code")) == spelt


def test_a_long_line_is_cut_into_rows_that_fit_a_page() -> None:
    text = "x" * 100_000 + "\nlast"
    rows = list(source_rows(printed_source(text)))
    assert len(rows) == -(-100_000 // ROW_CHARACTERS) + 1
    assert max(map(len, rows)) < ROW_CHARACTERS + 200
    page = table_of(rows)
    assert [text[:1] for text in page.texts("tr")[:3]] == ["1", "x", "x"]
    assert page.text("table") == "1" + "x" * 100_000 + "2last"


def test_sides_of_a_passage_keep_their_numbers() -> None:
    left, right = printed_source("one\ntwo\nthree\n"), printed_source("eins\nzwei\n")
    sides = PassageSide(left, range(2, 4)), PassageSide(right, range(1, 2))
    page = table_of(passage_rows(*sides, [LinePair(2, 1), LinePair(3, None)]))
    assert page.rows("tr") == [["2", "two", "1", "eins"], ["3", "three", "", ""]]


def test_a_passage_is_marked_and_its_differences_underlined() -> None:
    text = "  total = best\n"
    (line,) = printed_source(text, marks=marks((0, 14, 3)), differing=Spans([(2, 7, "sum")])).lines()
    assert line.rows == ['  <mark class="c3"><u>total</u> = best</mark>']
    assert [mark.number for mark in line.marks] == [3]


def test_a_replaced_name_is_written_once_and_never_shown_in_part() -> None:
    text = "# by Ada\nLovelace, 1843\n" + "x" * (ROW_CHARACTERS - 2) + "Ada\n"
    spans = Spans([(5, 17, "Student 1"), (22 + ROW_CHARACTERS, 25 + ROW_CHARACTERS, "Student 1")])
    page = table_of(source_rows(printed_source(text, renamed=spans, differing=Spans([(5, 9, "Ben")]))))
    assert "Ada" not in page.html
    assert "Lovelace" not in page.html
    assert page.texts("td.code .made-up") == ["Student 1"] * 2
    assert page.text("table").count("Student 1") == 2


def test_the_first_line_of_a_passage_has_its_badge() -> None:
    page = table_of(source_rows(printed_source("a\nb\nc\n", marks=marks((2, 5, 1)))))
    assert page.rows("tr") == [["1", "", "a"], ["2", "1", "b"], ["3", "1", "c"]]
    assert page.values("td.margin span", "class") == ["badge c1", "again c1"]
