"""Lexical terms of a document: names and literals that normalisation replaces by kinds, and directives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.joined import concatenated, count_rows, distinct_by_text, joined
from fingerprint.languages.lexeme_ids import MAX_LENGTH
from fingerprint.languages.name_uses import name_uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.languages.base import Scan
    from fingerprint.tokens import TokenStream
    from fingerprint.types import Classes, Terms


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


def lexeme_terms(stream: TokenStream, classes: Classes) -> Terms:
    """Return the term of each name and literal, by the columns of `Scan`."""
    lengths = np.maximum(stream.ends - stream.starts - QUOTES * (classes == STRING), 0)
    terms = stream.kinds & ~LENGTH_MASK | np.minimum(lengths, MAX_LENGTH).astype(np.uint64)
    # The id of a number has its length already.
    return np.where(classes == NUMBER, stream.kinds, terms)


def lexical_terms(scans: Sequence[Scan]) -> list[LexicalTerms]:
    """Return the terms of documents; words of comments are not used (docs/know/score.md)."""
    lexical, classes = joined([scan.lexical for scan in scans]), _column(scans, "lexical_classes")
    terms, is_name = lexeme_terms(lexical.stream, classes), classes == IDENTIFIER
    names, literals = count_rows(is_name, lexical.ends), count_rows(~is_name, lexical.ends)
    uses, use_ends = name_uses(joined([scan.tokens for scan in scans]), lexical.take(is_name))
    macros, imports = _directives(scans)
    columns = (
        _with_macros(distinct_by_text(terms[~is_name], literals), macros),
        distinct_by_text(terms[is_name], names),
        imports,
        distinct_by_text(uses[: use_ends[-1]] | LENGTH_MASK, use_ends),
    )
    return [LexicalTerms(*row) for row in zip(*columns, strict=True)]


def _column(scans: Sequence[Scan], name: str) -> Classes:
    return concatenated([getattr(scan, name) for scan in scans])


def _directives(scans: Sequence[Scan]) -> tuple[list[Terms], list[Terms]]:
    """Return the distinct macros and imports of each document."""
    directives = joined([scan.directives for scan in scans])
    is_macro = _column(scans, "directive_classes") == MACRO
    # White space within a directive makes no difference, so its length does not either.
    terms = directives.stream.kinds | LENGTH_MASK
    macros, imports = (
        distinct_by_text(terms[rows], count_rows(rows, directives.ends)) for rows in (is_macro, ~is_macro)
    )
    return macros, imports


def _with_macros(literals: list[Terms], macros: list[Terms]) -> list[Terms]:
    both = zip(literals, macros, strict=True)
    return [distinct_values(np.concatenate((one, more))) if len(more) else one for one, more in both]


def term_lengths(terms: Terms) -> npt.NDArray[np.int64]:
    """Return the number of characters of each term, at most 31."""
    return (terms & np.uint64(MAX_LENGTH)).astype(np.int64)
