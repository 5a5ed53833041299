"""Ada, Pascal, Modula-2, Fortran, COBOL, VHDL, MATLAB: strings without escapes, comments."""

from __future__ import annotations

import re
from typing import ClassVar

from pygments.lexer import inherit
from pygments.lexers import ada, business, fortran, hdl, matlab, modula2, pascal
from pygments.token import Comment, Name, Operator, Punctuation, String, Whitespace

from fingerprint.languages.lexers.rules import groups


class Ada(ada.AdaLexer):
    tokens: ClassVar = {
        "root": [
            # The sign of an attribute or a qualified expression, no character.
            (r"(?<=\w)'(?=\()", Punctuation),
            inherit,
        ],
    }


class Vhdl(hdl.VhdlLexer):
    tokens: ClassVar = {
        "root": [
            (r'"[^"\n]*+"', String),
            (r"(?<!\w)'[^\n]'", String.Char),
            (r"\\[^\\\n]++\\", Name),
            inherit,
        ],
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


# Comments, the two forms of strings, and a string that does not end in its line.
_PASCAL = re.compile(
    r"\{[^}]*+(?:\}|\Z)|\(\*(?>(?:[^*]++|\*(?!\)))*)(?:\*\)|\Z)|//[^\n]*+"
    r"|'''[ \t]*+\n(?>(?:(?![ \t]*+''')[^\n]*+\n){0,200})[ \t]*+'''|'[^'\n]*+'?"
)


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


# In fixed form no statement begins before column 7, and a letter in column 1 begins a comment.
_FIXED = re.compile(r"^[cC*](?![\w]*[ \t]*[=(%])[^\n]*+$", re.MULTILINE)
_FREE = re.compile(r"^(?![cC*!dD#\n])(?=[^\n])[ ]{0,4}+[^\s\d!&]", re.MULTILINE)
_FIXED_LINE = re.compile(r"^(?:[cC*](?=[^\n]*+$)|(?<=^)[ ]{5}[^\s0!])", re.MULTILINE)
_STRING = r"""(?>(?:[^{0}\n&]|&(?!\n)|&\n(?>(?:[ \t]*+&)?)|{0}{0})*)"""


class Fortran(fortran.FortranLexer):
    tokens: ClassVar = {
        "strings": [
            (f'"{_STRING.format(chr(34))}"', String.Double),
            (f"'{_STRING.format(chr(39))}'", String.Single),
        ],
    }

    @staticmethod
    def rewrite(text: str) -> str:
        """Write the comments and continuations of the fixed form as those of the free form."""
        if not _FIXED.search(text) or _FREE.search(text):
            return text
        return _FIXED_LINE.sub(lambda line: "!" if len(line[0]) == 1 else "      ", text)


_MATLAB_WORDS = (
    r"(?:break|case|catch|classdef|continue|else|end|events|for|function|if|methods|otherwise|parfor|properties"
    r"|return|spmd|switch|try|while)\b"
)


class Matlab(matlab.MatlabLexer):
    """Octave's comments too: nothing else begins with a number sign."""

    tokens: ClassVar = {
        "root": [
            (r"#\{[ \t]*+\n", Comment.Multiline, "number-sign-comment"),
            (r"#.*$", Comment),
            # A word alone in its line: the next line has none of its arguments. What is between the end of a
            # statement and the word may have lines too, as Pygments takes it for one piece.
            (
                rf"(?:^(?=[ \t\w])|(?<=;))(\s*+)(?!{_MATLAB_WORDS})([a-zA-Z]\w*+)(?=\n)",
                groups(Whitespace, Name),
            ),
            inherit,
        ],
        "expressions": [(r"(?<=\})'+", Operator), inherit],
        "blockcomment": [
            (r"^[ \t]*+%\{[ \t]*+\n", Comment.Multiline, "#push"),
            inherit,
            (r"\n", Comment.Multiline),
        ],
        "number-sign-comment": [
            (r"^[ \t]*+#\{[ \t]*+\n", Comment.Multiline, "#push"),
            (r"^[ \t]*+#\}", Comment.Multiline, "#pop"),
            (r"^.*\n", Comment.Multiline),
            (r".|\n", Comment.Multiline),
        ],
        "commandargs": [(r"[%#].*", Comment, "#pop"), inherit],
    }


# In fixed form each line has a sequence number or spaces in columns 1 to 6, and an indicator in column 7.
_COBOL_LINE = re.compile(r"^([^\n]{6})(?:[ \-Dd](?=[^\n])|([*/])([^\n]?))", re.MULTILINE)
_COBOL_FREE = re.compile(r"^(?![ \t]*+$)(?![^\n]{6}[ *\-/Dd])(?![ ]{0,6}$)", re.MULTILINE)


class Cobol(business.CobolFreeformatLexer):
    tokens: ClassVar = {
        "comment": [
            # A star begins a comment in the first column only.
            (r"\*>.*\n?|^\*.*$", Comment),
        ],
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
