"""Ids of lexemes as written: identifiers and literals, which normalisation replaces by kinds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from fingerprint.languages.base import LexicalClass
    from fingerprint.types import Classes, Kinds, Offsets


# Lexemes of several classes as parallel arrays: (classes, ids, starts, ends).
LexicalColumns = tuple["Classes", "Kinds", "Offsets", "Offsets"]


@cache
def lexeme_family(salt: str, lexical_class: LexicalClass) -> str:
    """Return the family of lexeme ids, so that no lexeme id equals the id of a kind (see `kind_id`)."""
    return f"{salt} as written, {lexical_class.name}"


def lexeme_id(salt: str, lexical_class: LexicalClass, lexeme: str) -> int:
    """Return the 64-bit id of a lexeme as written."""
    return kind_id(lexeme_family(salt, lexical_class), lexeme)
