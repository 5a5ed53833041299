"""Where a text says who wrote it: what follows `@author` or `Name:` in a comment, and e-mail addresses."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# `xs@ws.sum(axis=0)` multiplies matrices. A host of any number of parts would be read for ever.
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
# A value ends with its line, or before that with the comment or the tag that it stands in.
VALUE = re.compile(r"""(?:(?![ \t]*(?:\*+/|--+>|\*\)|-\}|\"{3}|'{3}|</))[^\r\n]){0,200}""")
QUOTED = re.compile(r"""[^\r\n"'}<]{0,200}""")
BLOCK = re.compile(
    r"""/\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | \"{3}.*?(?:\"{3}|\Z) | '{3}.*?(?:'{3}|\Z)""",
    re.DOTALL | re.VERBOSE,
)
COMMENT = re.compile(r"#|//|/\*|--|;|%|<!--|\(\*|\{-|\"{3}|'{3}|^[ \t]*\*|^[ \t]*REM\b", re.IGNORECASE)
REMARK = re.compile(r"(?:^|\s)(?:#|//|--)\s|^\s*\*\s")
ONLY_MARKS = re.compile(r"[^\w\"']*(?:\"{3}|'{3})?[^\w\"']*(?:REM\b)?[ \t]*", re.IGNORECASE)
PLAIN = re.compile(r"[^;={}()\[\]<>\"'\r\n]{0,200}[^;={}()\[\]<>\"',\\\r\n](?=[\r\n]|\Z)")
# Further out on a line no label is looked for.
COLUMNS = 300


class Remarks:
    """What is written in a text for readers."""

    def __init__(self, text: str) -> None:
        self.text = text

    def authors(self) -> Iterator[tuple[int, int]]:
        """Give the places [start, end) of values that name an author, an id or an address."""
        for label in LABEL.finditer(self.text):
            if self._says_who(label):
                value = (QUOTED if label["code"] else VALUE).match(self.text, label.end())
                if value and (written := value[0].rstrip()):
                    yield label.end(), label.end() + len(written)

    def hold(self, at: int) -> bool:
        """Whether the character at an offset is in a comment, as far as that can be told of any language."""
        before = self._before(at)
        return self._in_block(at) or (before is not None and REMARK.search(before) is not None)

    def _says_who(self, label: re.Match[str]) -> bool:
        """Whether a label is written for readers: in a comment, or first on a line of prose."""
        before = self._before(label.start())
        if label["code"] or before is None:
            return bool(label["code"])
        marks = [mark.start() for mark in COMMENT.finditer(before)]
        remark = bool(marks) or self._in_block(label.start())
        if label["tag"]:
            return remark
        first = ONLY_MARKS.fullmatch(before, marks[-1] if marks else 0) is not None
        return first and (remark or self._is_prose(label))

    def _is_prose(self, label: re.Match[str]) -> bool:
        """Whether a label without the marks of a comment is no field of a program."""
        return label[0][0].isupper() and PLAIN.match(self.text, label.end()) is not None

    def _before(self, at: int) -> str | None:
        """Give what stands before an offset on its line; None far out on a long one."""
        line = max(self.text.rfind(end, max(at - COLUMNS, 0), at) + 1 for end in "\r\n")
        return self.text[line:at] if line or at < COLUMNS else None

    def _in_block(self, at: int) -> bool:
        """Whether a comment or a string of several lines is open at an offset."""
        block = bisect_right(self._blocks, (at, at)) - 1
        return block >= 0 and at < self._blocks[block][1]

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        return [block.span() for block in BLOCK.finditer(self.text)]
