"""No mark of another keyboard, unseen character or frame takes more than a small share of a program's tokens."""

from __future__ import annotations

import re
from functools import cache

import pytest

from fingerprint.reading import read
from tests.fingerprint.languages.test_every_language import CODE, program

# Of a program without the marks, with names or with blanks for them.
MOST_LOST = 0.25

# What begins and ends a comment, a string or a name in some language, as other keyboards write it.
MARKS = [
    *["\u201c\u201d", "\u201e\u201c", "\u2018\u2019", "\uff02\uff02", "\uff07\uff07", "\xab\xbb", "\u2039\u203a"],
    *["\uff40\uff40", "\u01c0\u01c0", "\uff5c\uff5c", "\u2215\u2215 \n", "\uff0f\uff0f \n", "\uff03 \n", "\uff1b \n"],
    *["\uff0d\uff0d \n", "\u2013\u2013 \n", "\uff05 \n", "\uff01 \n", "\u2019 \n", "-\u2013 \n", "/\u2215 \n"],
    *["\u2215\u204e \u204e\u2215", "\uff0f\uff0a \uff0a\uff0f", "\uff08\uff0a \uff0a\uff09", "\uff5b \uff5d"],
    *["\u2774- -\u2775", "\uff03\uff5c \uff5c\uff03", "\uff1c!-- --\uff1e", "\u2215* *\u2215", "(\u2217 \u2217)"],
    *["/\u2060* *\u2060/", "/\ufeff/ \n", "\u200b# \n", "-\u200b- \n", "\u201c\u201c\u201c \u201d\u201d\u201d"],
    *["(\u2060* *\u2060)", '\u200b" "\u200b', "<<<<<<< \n=======\n>>>>>>> \n"],
]  # fmt: skip


@cache
def without_quotes(name: str) -> str:
    """Return a golden program with numbers for its strings in plain quotes, and without comments."""
    text = program(name)
    return re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|[\"'`]", "7", re.sub(r"^include .*", "", text))


def tokens(name: str, text: str) -> int:
    return len(read(text.encode(), "", name).tokens.kinds)


def with_marks(text: str, marks: str, places: list[int]) -> str:
    """Return a text with marks around some of its lines, or around the code of each where they end with a line."""
    begin, _, end = marks.partition(" ") if " " in marks else (marks[: len(marks) // 2], "", marks[len(marks) // 2 :])
    lines = text.split("\n")
    for first, last in zip(places[::2], places[1::2], strict=False):
        if "\n" in end:
            lines[first : last + 1] = [f"{begin} {line}{end[:-1]}" for line in lines[first : last + 1]]
        else:
            lines[first], lines[last] = f"{begin} {lines[first]}", f"{lines[last]} {end}"
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("marks", MARKS, ids=ascii)
@pytest.mark.parametrize("name", CODE)
def test_no_marks_hide_more_than_a_small_share_of_a_program(name: str, marks: str) -> None:
    text = without_quotes(name)
    last = text.count("\n")
    for places in ([0, last], [at for line in range(last) for at in (line, line)], [0, last // 2, last // 2 + 1, last]):
        written = with_marks(text, marks, places)
        others = [text, *(re.sub(r"[^\x00-\x7f]|<{7}|={7}|>{7}", other, written) for other in ("w", " "))]
        assert tokens(name, written) >= (1 - MOST_LOST) * min(tokens(name, other) for other in others), written


@pytest.mark.parametrize("comment", ["{-\n> x\n-}", "-- a\n> b", "{-\n\\begin{code}\n\\end{code}\n-}"])
def test_a_comment_makes_no_program_literate(comment: str) -> None:
    assert tokens("haskell", f"{comment}\n{program('haskell')}") >= tokens("haskell", program("haskell"))
