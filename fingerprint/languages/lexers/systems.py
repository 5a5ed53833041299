"""Rust, Java, and the assembly languages."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import include, inherit
from pygments.lexers import asm, jvm, mips, rust
from pygments.token import Comment, Name, Operator, String, Whitespace

from fingerprint.languages.lexers.rules import groups

# Signs around raw strings.
_HASHES = ("#", "##", "###")


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


# A word that begins a declaration, and names a variable where no name follows it.
_NO_NAME = r"\b(?=\s*+[^\w\s$])"


class Java(jvm.JavaLexer):
    tokens: ClassVar = {
        "root": [
            (rf"^\s++(?=record{_NO_NAME})", Whitespace),
            (rf"(?:module|record|var){_NO_NAME}", Name),
            inherit,
        ],
    }


_COMMENT = [
    (r"[^*]++", Comment.Multiline),
    (r"\*/", Comment.Multiline, "#pop"),
    (r"\*", Comment.Multiline),
]


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
