"""Java and Kotlin: with those of other languages beside them, a class of them would load ten modules more."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import include, inherit
from pygments.lexers import jvm
from pygments.token import Comment, Name, Punctuation, String, Whitespace

from fingerprint.languages.lexers import groups

# A word that begins a declaration, and names a variable where no name follows it.
_NO_NAME = r"\b(?=\s*+[^\w\s$])"


class Java(jvm.JavaLexer):
    tokens: ClassVar = {
        "root": [(rf"^\s++(?=record{_NO_NAME})", Whitespace), (rf"(?:module|record|var){_NO_NAME}", Name), inherit]
    }


class Kotlin(jvm.KotlinLexer):
    tokens: ClassVar = {
        "root": [
            (r"/\*", Comment.Multiline, "comment"),
            (r"'\\u[0-9a-fA-F]{4}'", String.Char),
            # A name between backticks may have quotes in it.
            (r"`[^`\n]++`", Name),
            inherit,
        ],
        "comment": [
            (r"[^*/]++", Comment.Multiline),
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
        "string": [(r"\\[^\n]", String), (r'"', String, "#pop"), include("string_common")],
        "multiline_string": [
            (r'"{3,}+', String, "#pop"),
            (r'"', String),
            (r"\$\{", String.Interpol, "interpolation"),
            (r"(\$)(\w+)", groups(String.Interpol, Name)),
            (r'[^"$]++', String),
            (r"\$", String),
        ],
        "string_common": [inherit, (r"\$", String)],
        "interpolation": [(r"\{", Punctuation, "scope"), (r"\}", String.Interpol, "#pop"), include("root")],
    }
