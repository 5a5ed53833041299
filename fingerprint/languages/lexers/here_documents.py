"""Here-documents: texts from the line after their mark to a line with the name that the mark has."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    # Where the lines begin whose text is a name, and where that name ends; by whether a line may be indented.
    LastLines = dict[tuple[str, bool], list[tuple[int, int]]]

_WHOLE_LINE = re.compile(r"^([ \t]*+)(\S[^\n]*+)", re.MULTILINE)
_FIRST_WORD = re.compile(r"^([ \t]*+)(\w++)", re.MULTILINE)


class HereDocuments:
    """Replaces here-documents by strings between single quotes, without moving anything.

    mark : expression of the mark: `name` or `quoted`, and `indent` where the last line may be indented
    code_after : the last line may always be indented, and code may follow its name
    """

    def __init__(self, mark: str, *, code_after: bool = False) -> None:
        self._mark = re.compile(mark)
        self._code_after = code_after

    def __call__(self, text: str) -> str:
        if "<<" not in text:
            return text
        parts, at = list[str](), 0
        for start, end in self._spans(text):
            parts += [text[at:start], _string(end - start)]
            at = end
        return "".join((*parts, text[at:])) if parts else text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the (start, end) of each mark, and of each text with its last line, in text order."""
        spans: list[tuple[int, int]] = []
        last_lines: LastLines | None = None
        at = 0
        while mark := self._mark.search(text, at):
            last_lines = self._last_lines(text) if last_lines is None else last_lines
            at = text.find("\n", mark.end()) + 1 or len(text)
            for one in self._mark.finditer(text, mark.start(), at):
                end = self._end(one, at, last_lines)
                if end >= 0:
                    spans += [one.span(), (at, end)]
                    at = end + (not self._code_after)
        return sorted(spans)

    def _last_lines(self, text: str) -> LastLines:
        lines: LastLines = defaultdict(list)
        for indentation, start, end, name in self._lines(text):
            lines[name, True].append((start, end))
            if not indentation:
                lines[name, False].append((start, end))
        return lines

    def _lines(self, text: str) -> Iterator[tuple[str, int, int, str]]:
        for line in (_FIRST_WORD if self._code_after else _WHOLE_LINE).finditer(text):
            yield line[1], line.start(), line.end(), line[2]

    def _end(self, mark: Match[str], body: int, last_lines: LastLines) -> int:
        """Return the end of the text that a mark has from `body` on; -1 if it has none."""
        groups = mark.groupdict()
        name = groups["name"] or groups.get("quoted", "")
        indented = self._code_after or bool(groups["indent"])
        candidates = last_lines.get((name, indented), [])
        index = bisect_left(candidates, (body, 0))
        return candidates[index][1] if index < len(candidates) else -1


def _string(length: int) -> str:
    return f"'{'x' * (length - 2)}'" if length > 1 else "x"
