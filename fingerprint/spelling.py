"""Digests of a document by which others that differ in layout or names only are found."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages.base import LexicalClass

if TYPE_CHECKING:
    from fingerprint.languages.base import Scan
    from fingerprint.tokens import TokenStream

DIGEST_BYTES = 16


class Spelling(NamedTuple):
    """Digests of a document as it is written, but for layout and comments.

    `tokens` is of all tokens and directives. `without_names` leaves names out: of two documents of the same
    kinds of tokens that have it in common, only names differ.
    """

    tokens: bytes
    without_names: bytes


UNKNOWN = Spelling(b"", b"")


def spelling_of(text: str, scan: Scan) -> Spelling:
    """Return the digests of the text that a front-end scanned."""
    lexemes = _lexemes(text, scan.tokens)
    directives = "\0".join(" ".join(lexeme.split()) for lexeme in _lexemes(text, scan.directives))
    tokens = _digest(lexemes, directives)
    names = scan.lexical.starts[scan.lexical_classes == LexicalClass.IDENTIFIER]
    for at in np.flatnonzero(np.isin(scan.tokens.starts, names)).tolist():
        lexemes[at] = ""
    return Spelling(tokens, _digest(lexemes, directives))


def _lexemes(text: str, tokens: TokenStream) -> list[str]:
    return [text[at:end] for at, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]


def _digest(lexemes: list[str], directives: str) -> bytes:
    lexemes_and_directives = "\0".join((*lexemes, "", directives)).encode("utf-8", "surrogatepass")
    return blake2b(lexemes_and_directives, digest_size=DIGEST_BYTES).digest()
