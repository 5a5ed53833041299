"""Swift and Kotlin: raw strings, quotes in interpolations, nested comments."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import include, inherit
from pygments.lexers import jvm, objective
from pygments.token import Comment, Name, Punctuation, String

from fingerprint.languages.lexers.rules import groups

_REGEX = r"/(?![\s/*])(?>(?:\\[^\n]|[^/\\\n])+)/"


def _raw(hashes: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the states of raw strings between that many number signs."""
    name = f"raw-{len(hashes)}"
    common = [
        (rf"\\{hashes}\(", String.Interpol, "string-intp"),
        (r'[^\\"\n]++', String),
        (r'[\\"]', String),
    ]
    return {
        name: [(f'"{hashes}', String, "#pop"), *common],
        f"{name}-lines": [(f'"""{hashes}', String, "#pop"), *common, (r"\n", String)],
    }


class Swift(objective.SwiftLexer):
    tokens: ClassVar = {
        "root": [
            # The longest first: a part of it would be another literal.
            *(
                rule
                for hashes in ("###", "##", "#")
                for rule in (
                    (f'{hashes}"""(?=\\n)', String, f"raw-{len(hashes)}-lines"),
                    (f'{hashes}"', String, f"raw-{len(hashes)}"),
                )
            ),
            (r"#/(?>(?:\\[^\n]|[^/\\\n]|/(?!#)){1,300})/#", String.Regex),
            (rf"(?<=[=(,:\[] ){_REGEX}|(?<=\(){_REGEX}", String.Regex),
            inherit,
        ],
        **_raw("#"),
        **_raw("##"),
        **_raw("###"),
        "string-multi": [
            (r'"""', String, "#pop"),
            (r"\\[ \t]*\n", String.Escape),
            (r'"', String),
            include("string-common"),
        ],
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
        "string": [
            (r"\\[^\n]", String),
            (r'"', String, "#pop"),
            include("string_common"),
        ],
        "multiline_string": [
            (r'"{3,}+', String, "#pop"),
            (r'"', String),
            (r"\$\{", String.Interpol, "interpolation"),
            (r"(\$)(\w+)", groups(String.Interpol, Name)),
            (r'[^"$]++', String),
            (r"\$", String),
        ],
        "string_common": [inherit, (r"\$", String)],
        "interpolation": [
            (r"\{", Punctuation, "scope"),
            (r"\}", String.Interpol, "#pop"),
            include("root"),
        ],
    }
