"""Imports, includes and macro definitions of a program, each as one term.

Who copies a program rarely changes this part, and what a person imports is a habit. `normalise` drops
imports from the tokens, since every program of a class begins with some.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexeme_ids import lexeme_family
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.languages.lexeme_ids import LexicalColumns

Span = tuple[int, int]

CACHED_DIRECTIVES = 4_096
_DEFINE = re.compile(r"^[ \t]*+#[ \t]*+define\b((?:[^\n\\]++|\\[\s\S])*)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+([<\"][^>\"\n]++[>\"])", re.MULTILINE)
_COMMENT = re.compile(r"/\*|//[^\n]*+")


def macros_as_code(source: str) -> str:
    """Return the source with `#define` and the backslashes at its line ends replaced by as many spaces.

    Then a lexer reads a macro's name and its replacement as code, at the same offsets.
    """
    return _DEFINE.sub(_blank_directive, source) if "#" in source else source


def _blank_directive(match: re.Match[str]) -> str:
    before, replacement = match[0][: -len(match[1]) or None], match[1]
    return " " * len(before) + replacement.replace("\\\n", " \n")


def macro_spans(source: str) -> list[Span]:
    """Return the (start, end) of each macro definition, from the macro's name on."""
    return [_stripped(source, *match.span(1)) for match in _DEFINE.finditer(source)]


def include_spans(source: str) -> list[Span]:
    """Return the (start, end) of each included file's name, with its quotes or angle brackets."""
    return [match.span(1) for match in _INCLUDE.finditer(source)]


def _stripped(source: str, start: int, end: int) -> Span:
    text = source[start:end]
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


def directive_columns(
    source: str, salt: str, imports: Iterable[Span], macros: Iterable[Span]
) -> LexicalColumns:
    """Return the directives in text order; white space and comments within them make no difference."""
    spans = [(*span, LexicalClass.IMPORT) for span in imports]
    spans += [(*span, LexicalClass.MACRO) for span in macros]
    rows = sorted((row for row in spans if row[0] < row[1]), key=itemgetter(0))
    ids = [_directive_id(salt, lexical_class, source[start:end]) for start, end, lexical_class in rows]
    starts, ends, classes = np.array(rows, dtype=np.int32).reshape(-1, 3).T.copy()
    return classes.astype(np.uint8), np.array(ids, dtype=np.uint64), starts, ends


@lru_cache(CACHED_DIRECTIVES)
def _directive_id(salt: str, lexical_class: LexicalClass, directive: str) -> int:
    """Return the id of a directive; a class imports the same again and again."""
    return kind_id(lexeme_family(salt, lexical_class), _normalised(directive))


def _normalised(directive: str) -> str:
    return "".join(_without_comments(directive).split())


def _without_comments(text: str) -> str:
    """Return a text with a space for each comment; `/*` without an end begins none."""
    parts, position, last = [], 0, text.rfind("*/")
    while comment := _COMMENT.search(text, position):
        end = comment.end()
        if comment[0] == "/*":
            end = text.find("*/", end) + 2 if end <= last else -1
        parts += [text[position : comment.start()], " " if end > 0 else "/*"]
        position = end if end > 0 else comment.end()
    return "".join([*parts, text[position:]])
