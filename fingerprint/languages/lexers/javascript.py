"""JavaScript and TypeScript: regular expressions where an expression may begin, and the text of JSX."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import default, include, inherit
from pygments.lexers import javascript
from pygments.token import Keyword, Name, Operator, Punctuation, String, Text, Whitespace

from fingerprint.languages.lexers.rules import groups

# The lengths are limited, so that an unclosed class is not searched for its end to the end of a long line.
_CLASS = r"\[(?>(?:\\[^\n]|[^\]\\\n]){0,120})\]"
_REGEX = rf"/(?>(?:\\[^\n]|[^[/\\\n]|{_CLASS}){{1,800}})/(?:[dgimsuvy]++\b|\B)"
# An element: in TypeScript a type may be there instead. Its end is looked for in the next characters only.
_ELEMENT_END = r"(?>(?:[^</]|(?!</\1\b|/>)[</]){0,4000})(?:</\1\b|/>)"
_ELEMENT = r"<(?=([A-Za-z_$][\w.$:-]*+)(?:\s*+/?>|\s++[\w{])" + _ELEMENT_END + ")"
_FRAGMENT = r"<(?=>(?>(?:[^<]|(?!</>)<){0,4000})</>)"

_STATES: dict[str, Any] = {
    "slashstartsregex": [
        include("commentsandwhitespace"),
        (_REGEX, String.Regex, "#pop"),
        (_FRAGMENT, Punctuation, ("#pop", "jsx-tag")),
        (_ELEMENT, Punctuation, ("#pop", "jsx-tag")),
        # No expression can be read here: the rest of the line is code.
        (r"/=?", Operator, "#pop"),
        default("#pop"),
    ],
    "interp-inside": [
        (r"\}", String.Interpol, "#pop"),
        (r"\{", Punctuation, ("braces", "slashstartsregex")),
        include("root"),
    ],
    "braces": [
        (r"\}", Punctuation, "#pop"),
        (r"\{", Punctuation, ("#push", "slashstartsregex")),
        include("root"),
    ],
    "jsx-tag": [
        (r"\s++", Whitespace),
        (r"/>", Punctuation, "#pop"),
        (r">", Punctuation, ("#pop", "jsx-children")),
        (r'"[^"]*+"|\'[^\']*+\'', String.Other),
        (r"\{", Punctuation, ("jsx-expression", "slashstartsregex")),
        (r"[A-Za-z_$][\w.$:-]*+", Name.Other),
        (r"=", Operator),
        default("#pop"),
    ],
    "jsx-children": [
        (r"(</)([\w.$:-]*+)(\s*+)(>)", groups(Punctuation, Name.Other, Whitespace, Punctuation), "#pop"),
        (r"<(?=[A-Za-z_$>])", Punctuation, "jsx-tag"),
        (r"\{", Punctuation, ("jsx-expression", "slashstartsregex")),
        # An element that is never closed ends where the next declaration begins.
        (r"^(?=(?:export|function|class|const|let|var|import|async)\s)", Text, "#pop"),
        (r"\s++", Whitespace),
        (r"[^<{\n]++", String.Other),
        (r"<", Operator),
    ],
    "jsx-expression": [
        (r"\}", Punctuation, "#pop"),
        (r"\{", Punctuation, ("braces", "slashstartsregex")),
        include("root"),
    ],
}
_ROOT = [
    (r"=>", Punctuation, "slashstartsregex"),
    # What comes after a value divides it.
    (r"(?<=[\w$)\]])(?:\+\+|--)", Operator),
    (r"(?<=[\w$)\]][ \t])(?:\+\+|--)(?=[ \t]*+[;/)\n])", Operator),
    (r"(this|super)\b(?=[ \t]*+/)", Keyword),
    (r"(?<=\.)(return|default|case|in|of|delete|this|typeof|do|else)\b(?=[ \t]*+/)", Keyword),
    # A condition does not: what is tested there is no quotient.
    (rf"(?<=\))([ \t]*+)({_REGEX})(?=\.(?:test|exec|source)\b)", groups(Whitespace, String.Regex)),
    # A string ends with its line, unless a backslash continues it.
    (r'"(?>(?:\\[\s\S]|[^"\\\n])*)"?', String.Double),
    (r"'(?>(?:\\[\s\S]|[^'\\\n])*)'?", String.Single),
]


class JavaScript(javascript.JavascriptLexer):
    tokens: ClassVar = {**_STATES, "root": [*_ROOT, inherit]}


class TypeScript(javascript.TypeScriptLexer):
    tokens: ClassVar = {**_STATES, "root": [*_ROOT, inherit]}
