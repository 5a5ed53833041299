"""Haskell, OCaml, Scheme, Prolog and R."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pygments import unistring as uni
from pygments.lexer import RegexLexer, inherit
from pygments.lexers import haskell, lisp, ml, prolog, r
from pygments.lexers._scheme_builtins import scheme_builtins, scheme_keywords
from pygments.token import Comment, Keyword, Name, String

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.token import _TokenType

_LITERATE = re.compile(r"^(?:>|\\begin\{code\})", re.MULTILINE)


_PROSE = re.compile(r"^[^\n]++")


def _comment(prose: re.Match[str]) -> str:
    return "--".ljust(len(prose[0])) if len(prose[0]) > 1 else " "


_QUOTATION = r"\[[a-z_][\w.']{0,60}+\|"


class Haskell(haskell.HaskellLexer):
    tokens: ClassVar = {
        "root": [
            (r'"""', String, "multiline-string"),
            # A quotation; in a list of what a name stands for there is an arrow.
            (rf"{_QUOTATION}(?>(?:(?!\|\]|<-|{_QUOTATION})[\s\S]){{0,3000}})\|\]", String.Other),
            inherit,
        ],
        # What a module exports and imports: a name may have quotes.
        "funclist": [(rf"[{uni.Lu}{uni.Lt}][\w']*+", Keyword.Type), inherit],
        "multiline-string": [
            (r'"""', String, "#pop"),
            (r"\\[\s\S]", String.Escape),
            (r'[^\\"]++', String),
            (r'"', String),
        ],
    }

    @staticmethod
    def rewrite(text: str) -> str:
        """Write the prose of a literate program as comments."""
        if not _LITERATE.search(text):
            return text
        lines, in_code = [], False
        for line in text.splitlines(keepends=True):
            if line.startswith("\\end{code}"):
                in_code = False
            if in_code:
                lines.append(line)
            else:
                lines.append(" " + line[1:] if line.startswith(">") else _PROSE.sub(_comment, line))
            in_code = in_code or line.startswith("\\begin{code}")
        return "".join(lines)


class OCaml(ml.OcamlLexer):
    tokens: ClassVar = {
        "root": [
            (r"\{\|", String.Other, "quoted"),
            (r"\{([a-z_]++)\|(?>(?:(?!\|\1\})[\s\S]){0,2000})\|\1\}", String.Other),
            inherit,
        ],
        "quoted": [
            (r"\|\}", String.Other, "#pop"),
            (r"[^|]++", String.Other),
            (r"\|", String.Other),
        ],
        # The literals in a comment are read: a string may have the end of a comment in it.
        "comment": [
            (r"'(?:\\[^\n]|[^\\'\n])'", Comment),
            (r'"(?>(?:\\[^\n]|[^"\\\n]){0,1000})"', Comment),
            (r"\{\|(?>(?:(?!\|\})[^\n]){0,1000})\|\}", Comment),
            (r"[^(*)'\"{]++", Comment),
            (r"['\"{]", Comment),
            inherit,
        ],
    }


_SCHEME_NAMES = frozenset({Name.Function, Name.Variable})


class Scheme(lisp.SchemeLexer):
    def get_tokens_unprocessed(  # type: ignore[override]  # as the base class
        self, text: str
    ) -> Iterator[tuple[int, _TokenType, str]]:
        # As in the base class, but by the name of the loop, which `dispatching_lexer` can then replace.
        for index, token_type, value in RegexLexer.get_tokens_unprocessed(self, text):
            if token_type in _SCHEME_NAMES and value in scheme_keywords:
                yield index, Keyword, value
            elif token_type in _SCHEME_NAMES and value in scheme_builtins:
                yield index, Name.Builtin, value
            else:
                yield index, token_type, value

    tokens: ClassVar = {
        "value": [
            # Racket's strings, and symbols with spaces.
            (r"#<<([^\n]++)\n(?>(?:(?!\1$)[^\n]*+\n){0,500})\1$", String.Heredoc, "#pop"),
            (r'#(?:[pr]x)?#?+"', String, "string"),
            (r"\|[^|\n]*+\|", Name.Variable, "#pop"),
            (r"#\\[;#@|{}\[\],<>^~:*/\\]", String.Char, "#pop"),
            inherit,
        ],
    }


class Prolog(prolog.PrologLexer):
    tokens: ClassVar = {
        "root": [
            (r"0'(?:\\[^\n]|''|[^'\n])", String.Char),
            (r"'(?>(?:\\[\s\S]|''|[^'\\\n])*)'?", String.Atom),
            (r"`(?>(?:\\[^\n]|``|[^`\\\n])*)`?", String.Backtick),
            (r'"(?>(?:\\[\s\S]|""|[^"\\\n])*)"?', String.Double),
            inherit,
        ],
    }


class R(r.SLexer):
    tokens: ClassVar = {
        "statements": [
            *(
                (
                    rf"[rR]([\"'])(-*+){opening}(?>(?:(?!{closing}\2\1)[\s\S]){{0,2000}}){closing}\2\1",
                    String,
                )
                for opening, closing in ((r"\(", r"\)"), (r"\[", r"\]"), (r"\{", r"\}"))
            ),
            inherit,
        ],
    }
