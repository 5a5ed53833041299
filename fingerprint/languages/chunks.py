"""Find the code in a document: in fences, environments of LaTeX, blocks of Org, and indented paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import NamedTuple

# The language of code that only its content tells.
UNNAMED = "?"
# The line that opens a chunk; a line that begins with what `_closing` returns closes it.
_OPENING = re.compile(
    r" {0,3}(?P<fence>`{3,12}|~{3,12})[ \t]*+\{?[ \t]*+[.=]?(?P<label>[\w+#-]*+)[^`~\n]*+$"
    r"|[ \t]*+\\begin\{(?P<environment>lstlisting|minted|[vV]erbatim|alltt)\*?\}"
    r"|[ \t]*+#\+(?i:begin)_(?P<block>src|SRC|example|EXAMPLE)[ \t]*+(?P<name>[\w+#-]*+)"
)
# Where LaTeX and reStructuredText name the language.
_LANGUAGE = re.compile(
    r"\blanguage ?= ?\{?(?:\[[^][\n]*+\])?(?P<option>[\w+#-]++)"
    r"|\{minted\}(?:\[[^][\n]*+\])?\{(?P<argument>[\w+#-]++)"
    r"|^[ \t]*+\.\. (?:code|code-block|sourcecode)::[ \t]++(?P<directive>[\w+#-]++)"
)
_INDENT = re.compile(r"(?:\t| {3,}+)[ \t]*+(?=\S)")


class Embedded(NamedTuple):
    """Code from `start` to `end` within `whole`, which has its marks too; no language for a comment."""

    whole: tuple[int, int]
    start: int
    end: int
    language: str


class _Chunk(NamedTuple):
    """A chunk that is open: where it begins and its code, what closes it ("" for a smaller indent), its language."""

    begin: int
    start: int
    closing: str
    indent: str
    language: str

    def is_closed_by(self, line: str) -> bool:
        if self.closing:
            return line.lstrip().lower().startswith(self.closing)
        return not line.isspace() and not line.startswith(self.indent)


def chunks(text: str) -> Iterator[Embedded]:
    """Yield the code in a document, in its order; the last chunk may have no end."""
    chunk, at, before = None, 0, "\n"
    for line in StringIO(text, newline=""):
        end = at + len(line)
        if chunk and chunk.is_closed_by(line):
            yield Embedded((chunk.begin, end if chunk.closing else at), chunk.start, at, chunk.language)
            chunk = None if chunk.closing else _opened(line, before, at)
        elif not chunk:
            chunk = _opened(line, before, at)
        blank = before if before.endswith("\n\n") else f"{before.rstrip()}\n\n"
        before, at = line if line.strip() else blank, end
    if chunk:
        yield Embedded((chunk.begin, at), chunk.start, at, chunk.language)


def _opened(line: str, before: str, at: int) -> _Chunk | None:
    """Return the chunk that a line at `at` opens; `before` is the last line with words, and its blank lines."""
    if match := _OPENING.match(line):
        closing = (
            match["fence"] or f"\\end{{{match['environment']}" if not match["block"] else f"#+end_{match['block']}"
        )
        language = match["label"] or match["name"] or _named(line)
        return _Chunk(at, at + len(line), closing.lower(), "", language.lower() or UNNAMED)
    indent = _INDENT.match(line) if before.endswith("\n\n") or before == "\n" else None
    return _Chunk(at, at, "", indent[0], _named(before).lower() or UNNAMED) if indent else None


def _named(line: str) -> str:
    match = _LANGUAGE.search(line)
    return match[match.lastgroup or 0] if match else ""
