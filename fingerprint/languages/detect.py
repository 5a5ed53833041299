"""Detection of a file's language, from its name and then from its content."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fingerprint.languages.registry import LANGUAGES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of a file that are searched for patterns.
HEAD_CHARACTERS = 20_000

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(\w+?)[\d.]*(?:\s|$)")
_INTERPRETERS = {
    "sh": "bash", "bash": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash",
    "python": "python", "pypy": "python", "perl": "perl", "ruby": "ruby", "php": "php", "node": "javascript",
    "deno": "typescript", "Rscript": "r", "swipl": "prolog", "ocaml": "ocaml", "runhaskell": "haskell",
    "sbcl": "common-lisp", "guile": "scheme", "scala": "scala", "swift": "swift", "octave": "matlab",
}  # fmt: skip

# Extensions that two languages share: the first pattern that occurs decides; an empty pattern always matches.
_CPP = (
    r"^\s*(?:class|namespace|template|using|public:|private:|protected:)\b|\bstd::|#include\s*<\w+>|\w+::\w+"
)
_OBJECTIVE_C = r"^\s*(?:@interface|@implementation|@property|@protocol|#import)\b"
_PROLOG = r"^\s*:-|:-\s*$|^[a-z]\w*\([^)]*\)\s*(?::-|\.\s*$)|-->"
_X86 = r"(?i)\b(?:e?[abcd]x|r[abcd]x|[re]?[sd]i|[re][sb]p|[abcd][hl])\b|\bint\s+(?:21h|0x80)\b|^\s*section\b"
_MIPS = r"\$(?:zero|[vatsk][0-9]|sp|ra|fp|gp|\d+)\b"
_PLSQL = (
    r"(?im)^\s*(?:declare|create\s+or\s+replace\s+(?:procedure|function|package|trigger))\b|\bdbms_output\b"
)
_AMBIGUOUS = {
    ".h": ((_CPP, "cpp"), ("", "c")),
    ".m": ((_OBJECTIVE_C, "objective-c"), ("", "matlab")),
    ".mm": (("", "objective-c++"),),
    ".pl": ((_PROLOG, "prolog"), ("", "perl")),
    ".pro": ((_PROLOG, "prolog"), ("", "text")),
    ".p": ((_PROLOG, "prolog"), ("", "pascal")),
    ".s": ((_MIPS, "mips"), ("", "x86")),
    ".asm": ((_MIPS, "mips"), ("", "x86")),
    ".sql": ((_PLSQL, "plsql"), ("", "sql")),
    ".v": ((r"^\s*(?:Theorem|Lemma|Proof)\b", "coq"), ("", "verilog")),
    ".inc": ((r"<\?php", "php"), ("", "text")),
    ".f": (("", "fortran"),),
}  # fmt: skip


# Content of a file whose name does not determine the language: the first pattern that occurs decides.
_CONTENT_PATTERNS = (
    (r"\A\s*<\?php", "php"),
    (r"(?i)\A\s*(?:<!doctype html|<html)", "html"),
    (r"^\s*#include\s*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (r"^\s*#include\s*[<\"]", "c"),
    (r"^\s*(?:public\s+)?(?:final\s+)?class\s+\w+[^;]*\{|^import java\.", "java"),
    (r"^using System", "csharp"),
    (r"^package main$", "go"),
    (r"^(?:from \w[\w.]* import |import \w[\w., ]*$|def \w+\(.*\).*:\s*$|class \w+.*:\s*$)", "python"),
    (r"^\s*fn \w+.*\{\s*$", "rust"),
    (r"(?i)\A\s*(?:create table|select\s.+\sfrom|insert into)\b", "sql"),
    (r"^\s*(?:function \w+\(.*\) \{|const \w+ = )", "javascript"),
)


def detect(filename: str, text: str) -> str:
    """Return the language of a file, from its name or else from its content; prose when nothing matches."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    extension = PurePosixPath(name.lower()).suffix
    head = text[:HEAD_CHARACTERS]
    if extension in _AMBIGUOUS:
        return _first_match(_AMBIGUOUS[extension], head)
    return (
        _by_pattern(name)
        or _by_shebang(head)
        or _by_pygments(name)
        or _first_match(_CONTENT_PATTERNS, head)
        or "text"
    )


def _by_pattern(name: str) -> str:
    for pattern, language in _patterns():
        if fnmatchcase(name, pattern) or fnmatchcase(name.lower(), pattern):
            return language
    return ""


@cache
def _patterns() -> list[tuple[str, str]]:
    return [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]


def _by_shebang(head: str) -> str:
    shebang = _SHEBANG.match(head)
    return _INTERPRETERS.get(shebang[1], "") if shebang else ""


def _by_pygments(name: str) -> str:
    from fingerprint.languages.code import lexer_for_filename  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return lexer_for_filename(name)


def _first_match(choices: Iterable[tuple[str, str]], head: str) -> str:
    return next((language for pattern, language in choices if re.search(pattern, head, re.MULTILINE)), "")
