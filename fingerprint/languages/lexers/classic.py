"""Ada, Pascal, Modula-2, Fortran, COBOL, VHDL, MATLAB, Haskell, OCaml, Scheme, Prolog and R."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import ClassVar

from pygments import unistring as uni
from pygments.lexer import RegexLexer, inherit
from pygments.lexers import ada, business, fortran, haskell, hdl, lisp, matlab, ml, modula2, pascal, prolog, r
from pygments.lexers._scheme_builtins import scheme_builtins, scheme_keywords
from pygments.token import Comment, Keyword, Name, Operator, Punctuation, String, Whitespace, _TokenType

from fingerprint.languages.lexers import groups

# Comments, the two forms of strings, and a string that does not end in its line.
_PASCAL = re.compile(
    r"\{[^}]*+(?:\}|\Z)|\(\*(?>(?:[^*]++|\*(?!\)))*)(?:\*\)|\Z)|//[^\n]*+"
    r"|'''[ \t]*+\n(?>(?:(?![ \t]*+''')[^\n]*+\n){0,200})[ \t]*+'''|'[^'\n]*+'?"
)

# In fixed form no statement begins before column 7, and a letter in column 1 begins a comment.
_FIXED = re.compile(r"^[cC*](?![\w]*[ \t]*[=(%])[^\n]*+$", re.MULTILINE)
_FREE = re.compile(r"^(?![cC*!dD#\n])(?=[^\n])[ ]{0,4}+[^\s\d!&\0-\x1f]", re.MULTILINE)
_FIXED_LINE = re.compile(r"^(?:[cC*](?=[^\n]*+$)|(?<=^)[ ]{5}[^\s0!])", re.MULTILINE)
_STRING = r"""(?>(?:[^{0}\n&]|&(?!\n)|&\n(?>(?:[ \t]*+&)?)|{0}{0})*)"""

_MATLAB_WORDS = (
    r"(?:break|case|catch|classdef|continue|else|end|events|for|function|if|methods|otherwise|parfor|properties"
    r"|return|spmd|switch|try|while)\b"
)

# In fixed form each line has a sequence number or spaces in columns 1 to 6, and an indicator in column 7.
_COBOL_LINE = re.compile(r"^([^\n]{6})(?:[ \-Dd](?=[^\n])|([*/])([^\n]?))", re.MULTILINE)
_COBOL_FREE = re.compile(r"^(?![ \0-\x09\x0b-\x1f]*+$)(?![^\n]{6}[ *\-/Dd])(?![ ]{0,6}$)", re.MULTILINE)

_LITERATE = re.compile(r"^(?:>|\\begin\{code\})", re.MULTILINE)
# A comment over lines, which may have such lines; one without an end is none.
_BLOCK = re.compile(r"\{-[^-]*+(?:-(?!\})[^-]*+)*(?:-\})?")

_PROSE = re.compile(r"^[^\n]++")

_QUOTATION = r"\[[a-z_][\w.']{0,60}+\|"

_SCHEME_NAMES = frozenset({Name.Function, Name.Variable})


class Ada(ada.AdaLexer):
    tokens: ClassVar = {
        "root": [
            # The sign of an attribute or a qualified expression, no character.
            (r"(?<=\w)'(?=\()", Punctuation),
            inherit,
        ]
    }


class Vhdl(hdl.VhdlLexer):
    tokens: ClassVar = {
        "root": [(r'"[^"\n]*+"', String), (r"(?<!\w)'[^\n]'", String.Char), (r"\\[^\\\n]++\\", Name), inherit]
    }


class Modula2(modula2.Modula2Lexer):
    tokens: ClassVar = {
        "string_literals": [(r'"[^"\n]*+"', String.Double), (r"'[^'\n]*+'", String.Single)],
        "comments": [(r"\(\*(?!\$)", Comment.Multiline, "nested"), inherit],
        "nested": [
            (r"[^(*)]++", Comment.Multiline),
            (r"\(\*", Comment.Multiline, "#push"),
            (r"\*\)", Comment.Multiline, "#pop"),
            (r"[(*)]", Comment.Multiline),
        ],
    }


class Delphi(pascal.DelphiLexer):
    @staticmethod
    def rewrite(text: str) -> str:
        """Close the strings that do not end in their line, and make one string of each text over lines."""
        return _PASCAL.sub(_closed, text) if "'" in text else text


def _closed(match: re.Match[str]) -> str:
    literal = match[0]
    if literal.startswith("'''") and "\n" in literal:
        return f"'{'x' * (len(literal) - 2)}'"
    if literal[0] != "'" or (literal[-1] == "'" and len(literal) > 1):
        return literal
    return f"{literal[:-1]}'" if len(literal) > 1 else " "


class Fortran(fortran.FortranLexer):
    tokens: ClassVar = {
        "strings": [(f'"{_STRING.format(chr(34))}"', String.Double), (f"'{_STRING.format(chr(39))}'", String.Single)]
    }

    @staticmethod
    def rewrite(text: str) -> str:
        """Write the comments and continuations of the fixed form as those of the free form."""
        if not _FIXED.search(text) or _FREE.search(text):
            return text
        return _FIXED_LINE.sub(lambda line: "!" if len(line[0]) == 1 else "      ", text)


class Matlab(matlab.MatlabLexer):
    """Octave's comments too: nothing else begins with a number sign."""

    tokens: ClassVar = {
        "root": [
            (r"#\{[ \t]*+\n", Comment.Multiline, "number-sign-comment"),
            (r"#.*$", Comment),
            # A word alone in its line: the next line has none of its arguments. What is between the end of a
            # statement and the word may have lines too, as Pygments takes it for one piece.
            (rf"(?:^(?=[ \t\w])|(?<=;))(\s*+)(?!{_MATLAB_WORDS})([a-zA-Z]\w*+)(?=\n)", groups(Whitespace, Name)),
            inherit,
        ],
        "expressions": [(r"(?<=\})'+", Operator), inherit],
        "blockcomment": [(r"^[ \t]*+%\{[ \t]*+\n", Comment.Multiline, "#push"), inherit, (r"\n", Comment.Multiline)],
        "number-sign-comment": [
            (r"^[ \t]*+#\{[ \t]*+\n", Comment.Multiline, "#push"),
            (r"^[ \t]*+#\}", Comment.Multiline, "#pop"),
            (r"^.*\n", Comment.Multiline),
            (r".|\n", Comment.Multiline),
        ],
        "commandargs": [(r"[%#].*", Comment, "#pop"), inherit],
    }


class Cobol(business.CobolFreeformatLexer):
    tokens: ClassVar = {
        "comment": [
            # A star begins a comment in the first column only.
            (r"\*>.*\n?|^\*.*$", Comment)
        ]
    }

    @staticmethod
    def rewrite(text: str) -> str:
        """Write the sequence numbers and comments of the fixed form as those of the free form."""
        return text if _COBOL_FREE.search(text) else _COBOL_LINE.sub(_free_cobol, text)


def _free_cobol(line: re.Match[str]) -> str:
    begin = " " * 6
    if line[2] is None:
        return f"{begin} "
    return f"{begin}*>" if line[3] else f"{begin} "


def _comment(prose: re.Match[str]) -> str:
    return "--".ljust(len(prose[0])) if len(prose[0]) > 1 else " "


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
        without_blocks = _BLOCK.sub(lambda block: "" if block[0].endswith("-}") else block[0], text)
        if not _LITERATE.search(without_blocks):
            return text
        lines, in_code = [], False
        for line in StringIO(text, newline=""):
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
        "quoted": [(r"\|\}", String.Other, "#pop"), (r"[^|]++", String.Other), (r"\|", String.Other)],
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
        ]
    }


class Prolog(prolog.PrologLexer):
    tokens: ClassVar = {
        "root": [
            (r"0'(?:\\[^\n]|''|[^'\n])", String.Char),
            (r"'(?>(?:\\[\s\S]|''|[^'\\\n])*)'?", String.Atom),
            (r"`(?>(?:\\[^\n]|``|[^`\\\n])*)`?", String.Backtick),
            (r'"(?>(?:\\[\s\S]|""|[^"\\\n])*)"?', String.Double),
            inherit,
        ]
    }


class R(r.SLexer):
    tokens: ClassVar = {
        "statements": [
            *(
                (rf"[rR]([\"'])(-*+){opening}(?>(?:(?!{closing}\2\1)[\s\S]){{0,2000}}){closing}\2\1", String)
                for opening, closing in ((r"\(", r"\)"), (r"\[", r"\]"), (r"\{", r"\}"))
            ),
            inherit,
        ]
    }
