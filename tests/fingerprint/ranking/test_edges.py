"""The ends of passages: an end is not a few tokens into a statement that differs."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint import engine
from fingerprint.engine import front_end, token_lines
from fingerprint.params import Params
from fingerprint.ranking.alignment import lines_of, trim_to_lines
from fingerprint.ranking.cohort import Cohort
from tests.fingerprint import naive

K = 3
line_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def cohort_of(sides: list[list[int]]) -> Cohort:
    """Return two submissions of one kind of token, with lines of these sizes."""
    kinds = [[np.ones(sum(sizes), dtype=np.uint64)] for sizes in sides]
    lines = [np.repeat(np.arange(len(sizes)), sizes).astype(np.int32) for sizes in sides]
    return Cohort.from_submissions(kinds, K, lines=lines)


@given(line_sizes, line_sizes, st.data())
@example([3, 3, 5], [3, 3, 4], None)
def test_a_small_part_of_a_line_is_cut_off(
    left: list[int], right: list[int], data: st.DataObject | None
) -> None:
    sizes = sum(left), sum(right)
    length = data.draw(st.integers(1, min(sizes))) if data else 7
    a, b = (data.draw(st.integers(0, size - length)) if data else 0 for size in sizes)
    cohort = cohort_of([left, right])
    lines = lines_of(cohort.submission(0), cohort.submission(1))
    assert trim_to_lines(lines, (a, b, length), K) == naive.trim_to_lines(left, right, (a, b, length), K)


@given(line_sizes, line_sizes, st.data())
def test_what_remains_ends_where_most_of_both_lines_is_equal(
    left: list[int], right: list[int], data: st.DataObject
) -> None:
    length = data.draw(st.integers(K, max(K, min(sum(left), sum(right)))))
    if length > min(sum(left), sum(right)):
        return
    cohort = cohort_of([left, right])
    trimmed = trim_to_lines(lines_of(cohort.submission(0), cohort.submission(1)), (0, 0, length), K)
    if trimmed != (0, 0, length):
        a, b, n = trimmed
        for first, line_lengths in ((a, left), (b, right)):
            starts = [0, *accumulate(line_lengths)]
            for token in (first, first + n - 1):
                line = max(at for at, start in enumerate(starts) if start <= token)
                inside = min(first + n, starts[line + 1]) - max(first, starts[line])
                assert 3 * inside > 2 * line_lengths[line]


def shared_text(language: str, left: str, right: str) -> list[tuple[str, str]]:
    """Return the text of every passage on both sides."""
    front = front_end(language)
    streams = [front.scan(source).tokens for source in (left, right)]
    lines = [token_lines(source, stream) for source, stream in zip((left, right), streams, strict=True)]
    cohort = Cohort.from_submissions([[stream.kinds] for stream in streams], Params().k, lines=lines)
    both = [
        [
            source[int(stream.starts[first]) : int(stream.ends[first + passage.tokens - 1])]
            for source, stream, first in zip(
                (left, right), streams, (passage.left_token, passage.right_token), strict=True
            )
        ]
        for passage in engine.find_passages(cohort, 0, 1)
    ]
    return [(left_text, right_text) for left_text, right_text in both]


JAVA = """int total = 0;
for (int i = 0; i < marks.length; i++) {
    total += marks[i] * weights[i];
}
System.out.println("the total is " + total);
"""
PYTHON = """for mark, weight in zip(marks, weights):
    if weight > limit:
        total += mark * weight - 1
average = total / len(marks) - 3
"""
C = """int total = 0, i;
for (i = 0; i < count; i++) {
    total += marks[i] * weights[i];
}
printf("%d", total);
"""


@pytest.mark.parametrize(
    ("language", "source", "statement", "inserted", "last"),
    [
        ("java", JAVA, "System.out.println", "trace(total);\n", "}"),
        ("java", JAVA, "System.out.println", "Logger log;\n", "}"),
        ("python", PYTHON, "average", "debug = total\n", "total += mark * weight - 1"),
        ("python", PYTHON, "average", "log(total, marks)\n", "total += mark * weight - 1"),
        ("c", C, "printf", "fflush(out);\n", "}"),
    ],
)
def test_a_passage_ends_before_an_inserted_statement(
    language: str, source: str, statement: str, inserted: str, last: str
) -> None:
    copy = source.replace(statement, inserted + statement)
    left, right = shared_text(language, source, copy)[0]
    assert left.rstrip(" )").endswith(last)
    assert right.rstrip(" )").endswith(last)


def test_a_passage_keeps_the_larger_part_of_a_changed_line() -> None:
    changed = PYTHON.replace("- 3", "- offset")
    (left, right), *_ = shared_text("python", PYTHON, changed)
    assert left.endswith("average = total / len(marks) -")
    assert right == left


def test_a_run_that_lies_within_two_lines_stays_whole() -> None:
    same = "alpha = beta + [1, gamma] * delta"
    passages = shared_text("python", f"x -= y ** 2 or {same}", f"return not {same} // 4 % 7 // 3 % 2 % 4")
    assert [left for left, _ in passages] == [same]
