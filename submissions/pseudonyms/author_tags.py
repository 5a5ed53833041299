"""Find the authors named in a text: values of `@author`, `Name:` and similar labels, and e-mail addresses."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Not before a parenthesis, because `xs@ws.sum(axis=0)` multiplies matrices. The number of parts of the host
# is bounded, because matching would take too long without a bound.
ADDRESS = re.compile(r"\b([\w.+-]{1,64})@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}+\b(?!\s*\()", re.IGNORECASE)
LABEL = re.compile(
    r"""
    (?P<tag> @author[ \t:]+ | \b(?:written|created|made|coded|programmed)[ ]by[ \t]*:?[ \t]+ )
    | \b(?: (?:full[ ]|student[ ]?)?name | authors? | autor(?:in)? | students?
        | student(?:[\'\u2019]s)?[ ]?(?:\(?id\)?|no\.?|nr\.?|number)
        | matr(?:ikel)?[-. ]?(?:nummer|nr\.?|no\.?) | matriculation(?:[ ](?:no\.?|number))? | e-?mail
      )[ \t]*:[ \t]*
    | \bmatrikelnummer[ \t]+(?=\d)
    | (?P<code> \b__author__[ \t]*=[ \t]*["'] | \\author\{ | <author>[ \t]* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A value ends at the end of its line, or earlier at the end of the comment or element that contains it.
VALUE = re.compile(r"[^\r\n]{0,210}")
VALUE_END = re.compile(r"(?P<marks>\*/|-->)|\*\)|-\}|\"{3}|'{3}|</")
QUOTED = re.compile(r"""[^\r\n"'}<]{0,200}""")
COMMENT_BLOCK = re.compile(
    r"""/\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | \"{3}.*?(?:\"{3}|\Z) | '{3}.*?(?:'{3}|\Z)""",
    re.DOTALL | re.VERBOSE,
)
COMMENT_MARK = re.compile(r"#|//|/\*|--|;|%|<!--|\(\*|\{-|\"{3}|'{3}|^[ \t]*\*|^[ \t]*REM\b", re.IGNORECASE)
# A comment mark between spaces, or an asterisk at the start of the line.
COMMENT_START = re.compile(r"(?:^|\s)(?:#|//|--)\s|^\s*\*\s")
ONLY_MARKS = re.compile(r"[^\w\"']*+(?:(?:\"{3}|'{3})[^\w\"']*+)?(?:REM\b[ \t]*)?", re.IGNORECASE)
PLAIN = re.compile(r"[^;={}()\[\]<>\"'\r\n]{0,200}[^;={}()\[\]<>\"',\\\r\n](?=[\r\n]|\Z)")
# Characters of a value that are read.
MAX_VALUE = 200
# Labels farther from the start of a line are ignored.
MAX_COLUMN = 300


class CommentScanner:
    """Finds comments and the author labels in them, with rules that suit most languages."""

    def __init__(self, text: str) -> None:
        self.text = text

    def author_spans(self) -> Iterator[tuple[int, int]]:
        """Yield the spans [start, end) of label values that name an author, an id or an address."""
        for label in LABEL.finditer(self.text):
            if self._is_author_label(label) and (author := self._value(label)):
                yield label.end(), label.end() + len(author)

    def _value(self, label: re.Match[str]) -> str:
        """Return what a label says, without the end of the comment that it is in."""
        if label["code"]:
            quoted = QUOTED.match(self.text, label.end())
            return quoted[0].rstrip() if quoted else ""
        value = VALUE.match(self.text, label.end())
        line = value[0] if value else ""
        if end := VALUE_END.search(line):
            line = line[: end.start()].rstrip(end["marks"][0] if end["marks"] else None)
        return line[:MAX_VALUE].rstrip()

    def in_comment(self, offset: int) -> bool:
        """Return whether the character at `offset` is in a comment, judged without knowing the language."""
        before = self._line_before(offset)
        return self._in_block(offset) or (before is not None and COMMENT_START.search(before) is not None)

    def _is_author_label(self, label: re.Match[str]) -> bool:
        """Return whether a label names an author.

        Labels of code (`__author__`) always do, tags (`@author`) do in comments, and all others as the first
        words of a comment or of a line of prose.
        """
        before = self._line_before(label.start())
        if label["code"] or before is None:
            return bool(label["code"])
        marks = [mark.start() for mark in COMMENT_MARK.finditer(before)]
        in_comment = bool(marks) or self._in_block(label.start())
        if label["tag"]:
            return in_comment
        first = ONLY_MARKS.fullmatch(before, marks[-1] if marks else 0) is not None
        return first and (in_comment or self._is_prose(label))

    def _is_prose(self, label: re.Match[str]) -> bool:
        """Return whether a label outside comments is capitalised and followed by plain text, not by code."""
        return label[0][0].isupper() and PLAIN.match(self.text, label.end()) is not None

    def _line_before(self, offset: int) -> str | None:
        """Return the part of a line before `offset`; None if it is longer than MAX_COLUMN."""
        start = max(self.text.rfind(end, max(offset - MAX_COLUMN, 0), offset) + 1 for end in "\r\n")
        return self.text[start:offset] if start or offset < MAX_COLUMN else None

    def _in_block(self, offset: int) -> bool:
        """Return whether `offset` is in a comment or string that may span several lines."""
        block = bisect_right(self._blocks, (offset, offset)) - 1
        return block >= 0 and offset < self._blocks[block][1]

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        return [block.span() for block in COMMENT_BLOCK.finditer(self.text)]
