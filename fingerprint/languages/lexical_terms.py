"""Lexical terms of a document: names and literals that normalisation replaces by kinds, and directives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexeme_ids import MAX_LENGTH
from fingerprint.languages.name_uses import name_uses

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.base import Scan
    from fingerprint.types import Terms


LENGTH_MASK = np.uint64(MAX_LENGTH)
QUOTES = 2
# Numbers, which NumPy compares with an array in a tenth of the time of members of an enumeration.
IDENTIFIER, STRING, NUMBER, MACRO = (
    int(one)
    for one in (LexicalClass.IDENTIFIER, LexicalClass.STRING, LexicalClass.NUMBER, LexicalClass.MACRO)
)


NO_TERMS: Terms = np.empty(0, dtype=np.uint64)


class LexicalTerms(NamedTuple):
    """Distinct terms of one document, ascending uint64.

    `literals`: strings, numbers and macro definitions; `names`; `imports`: import statements and includes;
    `uses`: uses of names, see `name_uses`. The upper 59 bits identify the term; the low five hold its number
    of characters, at most 31; those of directives and uses are always 31.
    """

    literals: Terms
    names: Terms
    imports: Terms
    uses: Terms = NO_TERMS

    @property
    def readable(self) -> tuple[Terms, Terms, Terms]:
        """The terms that a text has as words: literals, names and imports."""
        return self[:3]


def lexeme_terms(scan: Scan) -> Terms:
    """Return the term of each token of `scan.lexical`, in text order."""
    stream, classes = scan.lexical, scan.lexical_classes
    lengths = np.maximum(stream.ends - stream.starts - QUOTES * (classes == STRING), 0)
    terms = stream.kinds & ~LENGTH_MASK | np.minimum(lengths, MAX_LENGTH).astype(np.uint64)
    # The id of a number has its length already.
    return np.where(classes == NUMBER, stream.kinds, terms)


def lexical_terms(scan: Scan) -> LexicalTerms:
    """Return the terms of a document; words of comments are not used (docs/know/score.md)."""
    stream, classes, lexical = scan.lexical, scan.lexical_classes, lexeme_terms(scan)
    # White space within a directive makes no difference, so its length does not either.
    directives, is_macro = scan.directives.kinds | LENGTH_MASK, scan.directive_classes == MACRO
    is_name = classes == IDENTIFIER
    return LexicalTerms(
        distinct_values(np.concatenate((lexical[~is_name], directives[is_macro]))),
        distinct_values(lexical[is_name]),
        distinct_values(directives[~is_macro]),
        distinct_values(name_uses(scan.tokens, stream.take(is_name)) | LENGTH_MASK),
    )


def term_lengths(terms: Terms) -> npt.NDArray[np.int64]:
    """Return the number of characters of each term, at most 31."""
    return (terms & np.uint64(MAX_LENGTH)).astype(np.int64)
