"""Marks of equal and of inserted text, against a comparison of the lines alone."""

import re
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st
from selectolax.lexbor import LexborNode

from moss.check.outputs import standalone_report
from moss.check.rank import RankingOptions, rank_path
from submissions.matches.source_html import cuts_between
from submissions.pages.standalone_html import PageLimits, standalone_html
from tests.moss.check.test_check import folder
from tests.support.html import Page
from tests.support.programs import edited, program, remarked, renamed

LINES = st.lists(st.sampled_from(["# a", "# b", "# c", "x = 1", ""]), max_size=8)


def kept(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines that are not cut out of a gap; it begins at the end of a line."""
    text, other = ("\n".join(["", *side, ""]) for side in (lines, others))
    for start, end in cuts_between(text, (0, len(text)), other):
        text = text[:start] + re.sub(".", " ", text[start:end]) + text[end:]
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_in_order(lines: list[str], others: list[str]) -> bool:
    rest = iter(others)
    return all(line in rest for line in lines)


@given(LINES, LINES)
def test_two_gaps_keep_the_same_lines_and_some_where_they_have_any_in_common(
    lines: list[str], others: list[str]
) -> None:
    on_left = kept(lines, others)
    assert on_left == kept(others, lines)
    assert is_in_order(on_left, lines)
    assert is_in_order(on_left, others)
    assert bool(on_left) == bool({*lines} & {*others} - {""})


class Row(NamedTuple):
    """The text of a line on both sides, and for each side what is marked of it, and which marks are gaps."""

    texts: tuple[str, str]
    marked: tuple[str, str]
    gaps: tuple[set[bool], set[bool]]
    underlined: str


def rows_of(page: Page) -> list[Row]:
    pairs = [both for row in page.all("tr") if len(both := row.css("td.code")) == 2]
    return [
        Row(
            (text(left), text(right)),
            (parts(left, "mark"), parts(right, "mark")),
            (gaps(left), gaps(right)),
            parts(left, "u") + parts(right, "u"),
        )
        for left, right in pairs
    ]


def text(cell: LexborNode) -> str:
    return cell.text(deep=True, separator="").strip()


def gaps(cell: LexborNode) -> set[bool]:
    return {"gap" in (mark.attributes.get("class") or "").split() for mark in cell.css("mark")}


def parts(cell: LexborNode, tag: str) -> str:
    return "".join(text(node) for node in cell.css(tag))


def copied_class(random: Random) -> dict[str, bytes]:
    """Return a class of edited copies of one program, one of them with other names, and of other programs."""
    original = remarked(random, program(random, 4))
    sources = [edited(random, original) for _ in range(4)]
    sources[0] = renamed(sources[0])
    sources += [remarked(random, program(random, 3)) for _ in range(3)]
    return {f"s{number}/m.py": source.encode() for number, source in enumerate(sources)}


# With the last three of them, equal lines were matched otherwise for marks than for the rows.
@pytest.fixture(scope="module", params=[*range(5), 39, 166, 207])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Return the rows of the report on a class; its seed is the parameter."""
    written = folder(tmp_path_factory.mktemp("class"), copied_class(Random(request.param)))
    report = rank_path(written, RankingOptions())
    return rows_of(Page(standalone_html(standalone_report(report, "class")).html))


@pytest.mark.parametrize(
    ("limits", "shown", "listed"),
    [
        (PageLimits(), None, 0),
        (PageLimits(characters=1), 1, None),
        (PageLimits(pairs=2, rows=3), 2, 3),
    ],
)
def test_a_page_keeps_its_limits_and_says_what_it_leaves_out(
    tmp_path: Path, limits: PageLimits, shown: int | None, listed: int | None
) -> None:
    report = rank_path(folder(tmp_path, copied_class(Random(2))), RankingOptions())
    pairs = len(list(report.pairs()))
    html, left_out = standalone_html(standalone_report(report, "class"), limits)
    page = Page(html)
    with_sources = pairs if shown is None else shown
    assert pairs > 6
    assert len(page.all("details")) == with_sources
    assert len(page.all("li")) == (pairs - with_sources if listed is None else listed)
    assert bool(left_out) == (shown is not None)
    assert left_out in " ".join(page.text().split())
    assert (f"The first {shown} of {pairs} pairs" in left_out) == bool(left_out)
    assert ("more are not listed" in left_out) == (limits.rows == 3)


@pytest.mark.slow
def test_equal_lines_side_by_side_are_marked_on_both_sides_as_equal(rows: list[Row]) -> None:
    equal = [row for row in rows if row.texts[0] == row.texts[1] != ""]
    remarks = [row for row in equal if row.texts[0].startswith("#") and any(row.gaps)]
    assert len(equal) > 60
    assert len(remarks) > 1
    assert [row for row in equal if row.gaps[0] != row.gaps[1]] == []
    assert [row for row in equal if True in row.gaps[0]] == []
    assert [row for row in equal if row.underlined] == []


@pytest.mark.slow
def test_a_line_that_is_wholly_marked_as_equal_has_what_differs_underlined(rows: list[Row]) -> None:
    whole = [row for row in rows if row.texts == row.marked and True not in row.gaps[0] | row.gaps[1]]
    # A remark after code on one side and on a line of its own on the other is layout.
    other = [row for row in whole if row.texts[0] != row.texts[1] and "#" not in "".join(row.texts)]
    assert len(other) > 10
    assert [row for row in other if not row.underlined] == []
