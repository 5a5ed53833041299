"""C# and Visual Basic."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from pygments.lexer import inherit
from pygments.lexers import dotnet
from pygments.token import String

# Within `#if false`: directives that open and close a part of it.
_DIRECTIVE = re.compile(r"^[ \t]*+#[ \t]*+(if|elif|else|endif)\b([^\n]*+)", re.MULTILINE)
_NEVER = re.compile(r"\s*+\(?\s*+false\b")
_LINE_BEGIN = re.compile(r"^[^\n]{1,2}+", re.MULTILINE)


# The rules for each level of the characters that names may have.
_LEVELS: dict[str, Any] = {**dotnet.CSharpLexer.tokens}


class VisualBasic(dotnet.VbNetLexer):
    tokens: ClassVar = {"root": [(r'\$(?=")', String), inherit]}


class CSharp(dotnet.CSharpLexer):
    tokens: ClassVar[dict[str, Any]] = {
        level: {
            **states,
            "root": [
                (r"'\\[uxU][0-9a-fA-F]{1,8}'", String.Char),
                # An expression in a string may have strings in it.
                (r'\$"(?>(?:\{\{|\{[^{}\n]{0,500}+\}|\\[^\n]|[^"\\\n{]){0,2000})"(?!")', String),
                # A raw string ends with as many quotes as it begins with.
                (r'\${0,20}+("{4,}+)(?>(?:[^"]|(?!\1)"){0,5000})\1', String),
                *states["root"],
            ],
        }
        for level, states in _LEVELS.items()
    }

    @staticmethod
    def rewrite(text: str) -> str:
        """Write what is never compiled as comments."""
        if "#if" not in text and "# if" not in text:
            return text
        parts, at = [], 0
        for start, end in _never_compiled(text):
            parts += [text[at:start], _LINE_BEGIN.sub(_comment, text[start:end])]
            at = end
        return "".join((*parts, text[at:])) if parts else text


def _comment(line: re.Match[str]) -> str:
    return "//"[: len(line[0]) // 2 * 2] or " "


def _never_compiled(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each part between `#if false` and its `#else`, `#elif` or `#endif`."""
    spans, depth, start = [], 0, -1
    for directive in _DIRECTIVE.finditer(text):
        word = directive[1]
        if start < 0:
            if word == "if" and _NEVER.match(directive[2]):
                start, depth = directive.end(), 1
            continue
        depth += (word == "if") - (word == "endif")
        if depth == 0 or (depth == 1 and word in ("else", "elif")):
            spans.append((start, directive.start()))
            start = -1
    return [*spans, (start, len(text))] if start >= 0 else spans
