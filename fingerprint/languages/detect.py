"""Detection of a file's language, from its name and then from its content."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages.content import (
    AMBIGUOUS,
    CONTENT_PATTERNS,
    HEAD_CHARACTERS,
    PAGES,
    first_match,
    is_program,
    language_of_program,
)
from fingerprint.languages.registry import LANGUAGES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Sequence

# Linux reads no more of a file for its first line.
SHEBANG_CHARACTERS = 256
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w.]+)(?:\s|$)")
_INTERPRETERS = {
    "sh": "bash", "bash": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash",
    "python": "python", "pypy": "python", "perl": "perl", "ruby": "ruby", "php": "php", "node": "javascript",
    "deno": "typescript", "Rscript": "r", "swipl": "prolog", "ocaml": "ocaml", "runhaskell": "haskell",
    "sbcl": "common-lisp", "guile": "scheme", "scala": "scala", "swift": "swift", "octave": "matlab",
}  # fmt: skip

# What is put behind the name of a file, by Windows, editors, and students whose platform wants texts.
_WRAPPERS = frozenset({".txt", ".text", ".bak", ".old", ".orig", ".save"})
# The name of such a file does not say that it is prose.
_TEXTS = frozenset({".txt", ".text"})


def detect(filename: str, text: str, likely: str = "") -> str:
    """Return the language of a file, from its name or else from its content; prose when nothing matches.

    `likely` is the language of most other files, "" if there is none; it decides where doubt is left.
    """
    head = text[:HEAD_CHARACTERS]
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS:
        return _of_several(AMBIGUOUS[extension], head, likely)
    language = _by_pattern(inner)
    if language == "text" and extension in _TEXTS:
        return _of_text(head, likely)
    return (
        language
        or _by_shebang(head)
        or _by_pygments(inner)
        or first_match(CONTENT_PATTERNS, head)
        or _of_text(head, likely)
    )


def leaves_doubt(filename: str) -> bool:
    """Return whether the language of a file does not follow from its name alone."""
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS or extension in _TEXTS:
        return True
    return not (_by_pattern(inner) or _by_pygments(inner))


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _extension(name: str) -> str:
    """Return the ending of a name in lower case with its dot; empty for names such as `.profile` and `a.`."""
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def _inner_name(name: str) -> str:
    """Return `Main.java` for `Main.java.txt`: the name that tells the language of a program."""
    while True:
        inner, dot, ending = name.rpartition(".")
        if not dot or f".{ending.lower()}" not in _WRAPPERS:
            return name
        extension = _extension(inner)
        known = extension in AMBIGUOUS or extension in _WRAPPERS or _by_pattern(inner)
        if not extension or not known:
            return name
        name = inner


def _of_several(choices: Sequence[tuple[str, str]], head: str, likely: str) -> str:
    """Return the language that the content tells, else the likely one, if the name may mean that."""
    language = first_match([choice for choice in choices if choice[0]], head)
    if not language and likely in {language for _, language in choices}:
        return likely
    return language or choices[-1][1]


def _of_text(head: str, likely: str) -> str:
    """Return the language of a text: that of the program which it is, or prose."""
    language = _by_shebang(head) or language_of_program(head) or first_match(PAGES, head)
    return language or (likely if likely and is_program(head) else "text")


class _Pattern(NamedTuple):
    """A pattern of file names, by its number in the order of the table."""

    number: int
    language: str


def _by_pattern(name: str) -> str:
    """Return the language of the first pattern that matches the name, as it is or in lower case."""
    patterns = _patterns()
    names = {name, name.lower()}
    possible = (pattern for one in names for pattern in (one, *_ending_patterns(one)))
    matches = [patterns[pattern] for pattern in possible if pattern in patterns]
    return min(matches).language if matches else ""


def _ending_patterns(name: str) -> list[str]:
    """Return the pattern of each ending of a name that begins with a dot: `*.d.ts` and `*.ts`."""
    parts = name.split(".")
    return [f"*.{'.'.join(parts[number:])}" for number in range(1, len(parts))]


@cache
def _patterns() -> dict[str, _Pattern]:
    """Return the patterns of the table, each a whole name or `*` and an ending, where they are first."""
    named = [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]
    rows = [(pattern, _Pattern(number, language)) for number, (pattern, language) in enumerate(named)]
    return dict(reversed(rows))


def _by_shebang(head: str) -> str:
    shebang = _SHEBANG.match(head[:SHEBANG_CHARACTERS])
    return _INTERPRETERS.get(shebang[1].rstrip("0123456789."), "") if shebang else ""


def _by_pygments(name: str) -> str:
    from fingerprint.languages.code import lexer_for_filename  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return lexer_for_filename(name)
