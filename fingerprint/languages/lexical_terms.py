"""Lexical terms of a document: the names and literals that normalisation replaces by kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages.base import LexicalClass

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.base import Scan
    from fingerprint.types import Terms


# The low bits of a term hold its number of characters, so that scoring needs no text.
LENGTH_BITS = 5
MAX_LENGTH = (1 << LENGTH_BITS) - 1
QUOTES = 2


class LexicalTerms(NamedTuple):
    """Distinct terms of one document, ascending uint64: literals (strings, numbers) and names.

    The upper 59 bits identify the term; the low five hold its number of characters, at most 31.
    """

    literals: Terms
    names: Terms


def lexical_terms(scan: Scan) -> LexicalTerms:
    """Return the terms of a document; words of comments are not used (docs/score.md)."""
    stream, classes = scan.lexical, scan.lexical_classes
    characters = stream.ends - stream.starts - QUOTES * (classes == LexicalClass.STRING)
    lengths = np.clip(characters, 0, MAX_LENGTH).astype(np.uint64)
    shift = np.uint64(LENGTH_BITS)
    terms = (stream.kinds >> shift << shift) | lengths
    literal = (classes == LexicalClass.STRING) | (classes == LexicalClass.NUMBER)
    return LexicalTerms(np.unique(terms[literal]), np.unique(terms[classes == LexicalClass.IDENTIFIER]))


def term_lengths(terms: Terms) -> npt.NDArray[np.int64]:
    """Return the number of characters of each term, at most 31."""
    return (terms & np.uint64(MAX_LENGTH)).astype(np.int64)
