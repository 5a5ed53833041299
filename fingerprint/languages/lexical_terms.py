"""Lexical terms of a document: names and literals that normalisation replaces by kinds, and directives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import LexicalClass

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.base import Scan
    from fingerprint.types import Kinds, Terms


# The low bits of a term hold its number of characters, so that scoring needs no text.
LENGTH_BITS = 5
MAX_LENGTH = (1 << LENGTH_BITS) - 1
QUOTES = 2


class LexicalTerms(NamedTuple):
    """Distinct terms of one document, ascending uint64.

    `literals`: strings, numbers and macro definitions; `names`; `imports`: import statements and includes.
    The upper 59 bits identify the term; the low five hold its number of characters, at most 31;
    those of directives are always 31.
    """

    literals: Terms
    names: Terms
    imports: Terms


def lexical_terms(scan: Scan) -> LexicalTerms:
    """Return the terms of a document; words of comments are not used (docs/know/score.md)."""
    stream, is_string = scan.lexical, scan.lexical_classes == LexicalClass.STRING
    lexical = _with_lengths(stream.kinds, stream.ends - stream.starts - QUOTES * is_string)
    # White space within a directive makes no difference, so its length does not either.
    directives = _with_lengths(scan.directives.kinds, np.full(len(scan.directives), MAX_LENGTH))
    literals = [
        lexical[is_string | (scan.lexical_classes == LexicalClass.NUMBER)],
        directives[scan.directive_classes == LexicalClass.MACRO],
    ]
    return LexicalTerms(
        distinct_values(np.concatenate(literals)),
        distinct_values(lexical[scan.lexical_classes == LexicalClass.IDENTIFIER]),
        distinct_values(directives[scan.directive_classes == LexicalClass.IMPORT]),
    )


def _with_lengths(kinds: Kinds, characters: npt.NDArray[np.integer]) -> Terms:
    shift = np.uint64(LENGTH_BITS)
    lengths = np.minimum(np.maximum(characters, 0), MAX_LENGTH)
    terms: Terms = (kinds >> shift << shift) | lengths.astype(np.uint64)
    return terms


def term_lengths(terms: Terms) -> npt.NDArray[np.int64]:
    """Return the number of characters of each term, at most 31."""
    return (terms & np.uint64(MAX_LENGTH)).astype(np.int64)
