"""Rust, C#, Visual Basic, Swift, and the assembly languages."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from pygments.lexer import include, inherit
from pygments.lexers import asm, dotnet, mips, objective, rust
from pygments.token import Comment, Name, Operator, String, Whitespace

from fingerprint.languages.lexers import groups

# Signs around raw strings.
_HASHES = ("#", "##", "###")

_COMMENT = [(r"[^*]++", Comment.Multiline), (r"\*/", Comment.Multiline, "#pop"), (r"\*", Comment.Multiline)]

# Within `#if false`: directives that open and close a part of it.
_DIRECTIVE = re.compile(r"^[ \t]*+#[ \t]*+(if|elif|else|endif)\b([^\n]*+)", re.MULTILINE)
_NEVER = re.compile(r"\s*+\(?\s*+false\b")
_LINE_BEGIN = re.compile(r"^[^\n]{1,2}+", re.MULTILINE)


# The rules for each level of the characters that names may have.
_LEVELS: dict[str, Any] = {**dotnet.CSharpLexer.tokens}

_REGEX = r"/(?![\s/*])(?>(?:\\[^\n]|[^/\\\n])+)/"


class Rust(rust.RustLexer):
    tokens: ClassVar = {
        "base": [
            (r'c"', String, "string"),
            (r'b?r"[^"]*+"?', String),
            *((rf'b?c?r{hashes}"', String, f"raw-{len(hashes)}") for hashes in _HASHES),
            (r"b?'\\?[\"](?!')[^'\n]*+", String.Char),
            inherit,
        ],
        **{
            f"raw-{len(hashes)}": [(f'"{hashes}', String, "#pop"), (r'[^"]++', String), (r'"', String)]
            for hashes in _HASHES
        },
    }


class Mips(mips.MIPSLexer):
    tokens: ClassVar = {
        "root": [
            # Other characters between quotes cannot begin anything.
            (r"'(?:\\[^\n]|[\"#])'", String.Char),
            (r"//.*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            inherit,
        ],
        "comment": _COMMENT,
    }


class Nasm(asm.NasmLexer):
    tokens: ClassVar = {
        "whitespace": [
            (r"//.*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            # ARM comments; `@data` is an operand of MASM.
            (r"(?<=[\w\]})\"'][ \t])@.*|@(?=[ \t]).*", Comment.Single),
            inherit,
        ],
        "root": [
            (r"@@\w*+:", Name.Label),
            (r"^([ \t]*+)(@(?!@|\w++:).*)", groups(Whitespace, Comment.Single)),
            inherit,
        ],
        "instruction-args": [
            include("whitespace-comments"),
            (r"@{1,2}\w++", Name.Variable),
            # The sign of a number in ARM assembly, no comment.
            (r"(?<=,)#(?=[-+\w])|(?<=,[ \t])#(?=[-+\w])", Operator),
            inherit,
        ],
        "whitespace-comments": [
            (r"(?<=[\w\]})\"'][ \t])@.*", Comment.Single),
            (r"//.*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
        ],
        "comment": _COMMENT,
    }


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


def _raw(hashes: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the states of raw strings between that many number signs."""
    name = f"raw-{len(hashes)}"
    common = [(rf"\\{hashes}\(", String.Interpol, "string-intp"), (r'[^\\"\n]++', String), (r'[\\"]', String)]
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
