"""Marks of lines: no line after the limit changes those before it."""

from __future__ import annotations

import pytest

from fingerprint.reading import read
from submissions.matches import line_marks as module
from submissions.matches.line_marks import LineMarks, line_marks

LINES = ["total = price * count  # what is to be paid \n", "print(total)\n", "# nothing else is here\n"]


def marks_of(text: str) -> LineMarks:
    return line_marks(text, read(text.encode(), "a.py").tokens)


@pytest.mark.parametrize("more", ["", "print(total, price, count)  \n" * 3, "\n", "x"])
def test_lines_after_the_limit_change_no_mark(monkeypatch: pytest.MonkeyPatch, more: str) -> None:
    text = "".join(LINES)
    whole = marks_of(text)
    monkeypatch.setattr(module, "MARKED_LINES", len(LINES))
    assert marks_of(text + more) == whole
    assert {*whole.code} == {1, 2}
    assert {*whole.comments} == {1, 3}
