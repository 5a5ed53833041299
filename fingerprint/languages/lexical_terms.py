"""Terms of a document: the names and literals that normalisation folds away, kept beside the tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages.base import Class

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.base import Scan
    from fingerprint.types import Terms


# The low bits of a term say how many characters it has: a score then needs no text.
LENGTH_BITS = 5
LONGEST = (1 << LENGTH_BITS) - 1
QUOTES = 2


class Lexical(NamedTuple):
    """Distinct terms of one document, ascending uint64: literals (strings, numbers) and names.

    The upper 59 bits tell terms apart, the low five hold the number of characters, at most 31.
    """

    literals: Terms
    names: Terms


def lexical_of(scan: Scan) -> Lexical:
    """Collect the terms of a document; words of comments are not used (docs/score.md)."""
    stream, classes = scan.lexical, scan.classes
    characters = stream.ends - stream.starts - QUOTES * (classes == Class.STRING)
    lengths = np.clip(characters, 0, LONGEST).astype(np.uint64)
    shift = np.uint64(LENGTH_BITS)
    terms = (stream.kinds >> shift << shift) | lengths
    literal = (classes == Class.STRING) | (classes == Class.NUMBER)
    return Lexical(np.unique(terms[literal]), np.unique(terms[classes == Class.IDENTIFIER]))


def characters_of(terms: Terms) -> npt.NDArray[np.int64]:
    """Characters of each term, at most 31."""
    return (terms & np.uint64(LONGEST)).astype(np.int64)
