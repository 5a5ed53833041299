"""R Markdown and JSON: documents with chunks of code, and data; token types as in `markup`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text, Whitespace

from fingerprint.languages.lexers.markup import Embedded, Xml

if TYPE_CHECKING:
    from collections.abc import Iterator

# The line that opens a chunk; one that begins with as many of the same signs closes it.
_FENCE = re.compile(
    r" {0,3}(?P<fence>`{3,12}|~{3,12})[ \t]*+\{?[ \t]*+[.=]?(?P<language>[\w+#-]*+)[^`~\n]*+$"
)


class RMarkdown(RegexLexer):
    """R Markdown and Quarto: chunks of code in a document."""

    name = "R Markdown"
    aliases: ClassVar = ["rmarkdown"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\A---[ \t]*+\n(?>(?:(?!---)[^\n]*+\n)*)---[ \t]*+(?=\n)", Comment.Preproc),
            (r"<!--", Comment.Multiline, "comment"),
            (r"\s++", Whitespace),
            (r"[^<\s][^<]*+", Text),
            (r"<", Text),
        ],
        "comment": Xml.tokens["comment"],
    }

    @staticmethod
    def embedded(text: str) -> Iterator[Embedded]:
        chunk, at = None, 0
        for line in text.splitlines(keepends=True):
            if chunk is None:
                if opened := _FENCE.match(line):
                    chunk = at, at + len(line), opened["fence"], opened["language"].lower() or "text"
            elif line.lstrip(" ").startswith(chunk[2]):
                yield Embedded((chunk[0], at + len(line)), chunk[1], at, chunk[3])
                chunk = None
            at += len(line)
        if chunk:
            yield Embedded((chunk[0], at), chunk[1], at, chunk[3])


def _json_string(quote: str, token_type: Any) -> list[Any]:
    """Return the rules of a string, which ends with its line; an escape is no part of a word."""
    return [
        (rf"[^{quote}\\\n]++", token_type),
        (r"\\(?:u[0-9a-fA-F]{4}|[^\n])?", Name.Entity),
        (rf"{quote}", token_type, "#pop"),
        (r"(?=\n)", Whitespace, "#pop"),
    ]


class Json(RegexLexer):
    name = "JSON"
    aliases: ClassVar = ["json"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s++", Whitespace),
            (r"//[^\n]*+", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r'"(?>(?:\\[^\n]|[^"\\\n]){0,1000})"(?=\s*+:)', Name.Tag),
            (r'"', String.Double, "double"),
            (r"'", String.Single, "single"),
            (r"[-+]?(?:\d|\.\d)[\w.]*+(?:[-+]\d++)?", Number),
            (r"(?:true|false|null)\b", Keyword.Constant),
            (r"[\w$]++(?=\s*+:)", Name.Tag),
            (r"\w++", Keyword.Constant),
            (r"[^\w\s\"']", Punctuation),
        ],
        "double": _json_string('"', String.Double),
        "single": _json_string("'", String.Single),
        "comment": [
            (r"[^*]++", Comment.Multiline),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"\*", Comment.Multiline),
        ],
    }
