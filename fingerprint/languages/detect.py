"""Detection of a file's language, from its name and then from its content."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages.registry import LANGUAGES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of a file that are searched for patterns: some 500 lines, so that a long licence can come before
# the first line that tells. Searching them takes milliseconds.
HEAD_CHARACTERS = 20_000
# Linux reads no more of a file for its first line.
SHEBANG_CHARACTERS = 256
# A pattern that asks for nothing but the end of a name.
_ENDING = re.compile(r"\*\.[^*?\[]*")

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w.]+)(?:\s|$)")
_INTERPRETERS = {
    "sh": "bash", "bash": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash",
    "python": "python", "pypy": "python", "perl": "perl", "ruby": "ruby", "php": "php", "node": "javascript",
    "deno": "typescript", "Rscript": "r", "swipl": "prolog", "ocaml": "ocaml", "runhaskell": "haskell",
    "sbcl": "common-lisp", "guile": "scheme", "scala": "scala", "swift": "swift", "octave": "matlab",
}  # fmt: skip

# Students write these files, so every search takes linear time: attempts of a pattern at different places may
# not read the same text for more than a bounded length. `\s` would match line ends too, and each empty line
# would be read to the end of the file; these match the space at the beginning and the end of one line.
_BEGIN = r"^[^\S\n]*+"
_END = r"[^\S\n]*$"

# Extensions that two languages share: the first pattern that occurs decides; an empty pattern always matches.
_CPP = (
    _BEGIN + r"(?:class|namespace|template|using|public:|private:|protected:)\b"
    r"|\bstd::|#include\s*<\w+>|\w::\w"
)
_OBJECTIVE_C = _BEGIN + r"(?:@interface|@implementation|@property|@protocol|#import)\b"
_PROLOG = f"{_BEGIN}:-|:-{_END}" + r"|^[a-z]\w*\([^()]*+\)\s*(?::-|\." + _END + ")|-->"
_MIPS = r"\$(?:zero|[vatsk][0-9]|sp|ra|fp|gp|\d+)\b"
_PLSQL = (
    "(?i)" + _BEGIN + r"(?:declare|create\s+or\s+replace\s+(?:procedure|function|package|trigger))\b"
    r"|\bdbms_output\b"
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
    ".v": ((_BEGIN + r"(?:Theorem|Lemma|Proof)\b", "coq"), ("", "verilog")),
    ".inc": ((r"<\?php", "php"), ("", "text")),
    ".f": (("", "fortran"),),
}  # fmt: skip


# Content of a file whose name does not determine the language: the first pattern that occurs decides.
_CONTENT_PATTERNS = (
    (r"\A\s*<\?php", "php"),
    (r"(?i)\A\s*(?:<!doctype html|<html)", "html"),
    (_BEGIN + r"#include\s*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (_BEGIN + r"#include\s*[<\"]", "c"),
    # What a class extends and implements takes fewer than 500 characters.
    (
        _BEGIN + r"(?:public\s++)?+(?:final\s++)?+class\s++\w++[^;{]{0,500}+\{|^import java\.",
        "java",
    ),
    (r"^using System", "csharp"),
    (r"^package main$", "go"),
    (
        rf"^(?:from \w[\w.]* import |import \w[\w., ]*$|def \w+\([^)\n]*+\).*:{_END}|class \w.*:{_END})",
        "python",
    ),
    (_BEGIN + r"fn \w.*\{" + _END, "rust"),
    (r"(?i)\A\s*(?:create table|select\s.+\sfrom|insert into)\b", "sql"),
    (_BEGIN + r"(?:function \w+\(.*\) \{|const \w+ = )", "javascript"),
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


class _Pattern(NamedTuple):
    """A pattern of file names, by its number in the order of the table."""

    number: int
    pattern: str
    language: str


def _by_pattern(name: str) -> str:
    """Return the language of the first pattern that matches the name, as it is or in lower case."""
    by_ending, others = _patterns()
    names = (name, name.lower())
    found = [by_ending[ending] for one in names for ending in _endings(one) if ending in by_ending]
    found += [row for row in others if any(fnmatchcase(one, row.pattern) for one in names)]
    return min(found).language if found else ""


def _endings(name: str) -> list[str]:
    return [name[start:] for start, character in enumerate(name) if character == "."]


@cache
def _patterns() -> tuple[dict[str, _Pattern], list[_Pattern]]:
    """Return the first pattern for each ending, such as that of `*.py`, and the other patterns.

    Most patterns are endings; these are looked up, as trying all of them took longer than reading a short
    file.
    """
    named = [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]
    rows = [_Pattern(number, pattern, language) for number, (pattern, language) in enumerate(named)]
    by_ending = {row.pattern[1:]: row for row in reversed(rows) if _ENDING.fullmatch(row.pattern)}
    return by_ending, [row for row in rows if not _ENDING.fullmatch(row.pattern)]


def _by_shebang(head: str) -> str:
    shebang = _SHEBANG.match(head[:SHEBANG_CHARACTERS])
    return _INTERPRETERS.get(shebang[1].rstrip("0123456789."), "") if shebang else ""


def _by_pygments(name: str) -> str:
    from fingerprint.languages.code import lexer_for_filename  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return lexer_for_filename(name)


def _first_match(choices: Iterable[tuple[str, str]], head: str) -> str:
    return next((language for pattern, language in choices if re.search(pattern, head, re.MULTILINE)), "")
