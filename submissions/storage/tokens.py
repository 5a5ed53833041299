"""Pack the tokens, lines and terms of a document as bytes for the database, and unpack them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import LexicalTerms, TokenStream

if TYPE_CHECKING:
    from fingerprint.types import Lines


def pack_tokens(stream: TokenStream, lines: Lines) -> bytes:
    """Return tokens and their lines as deflated columns of little-endian numbers.

    Starts and lines are stored as differences, which are small.
    """
    kinds, codes = np.unique(stream.kinds, return_inverse=True)
    columns = (
        np.array([len(kinds), len(stream)], dtype="<u4"),
        kinds.astype("<u8"),
        codes.astype("<u4"),
        np.diff(stream.starts, prepend=0).astype("<i4"),
        (stream.ends - stream.starts).astype("<i4"),
        np.diff(lines, prepend=0).astype("<i4"),
    )
    return zlib.compress(b"".join(column.tobytes() for column in columns), level=1)


def unpack_tokens(packed: bytes) -> TokenStream:
    """Return the tokens that `pack_tokens` packed."""
    return unpack_with_lines(packed)[0]


def unpack_with_lines(packed: bytes) -> tuple[TokenStream, Lines | None]:
    """Return tokens and lines that `pack_tokens` packed; no lines for data from before lines were stored."""
    raw = memoryview(zlib.decompress(packed))
    distinct, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    kinds = np.frombuffer(raw, "<u8", distinct, 8).astype(np.uint64)
    columns = np.frombuffer(raw, "<i4", -1, 8 + 8 * distinct)
    codes, gaps, lengths, *rest = columns.reshape(-1, count) if count else np.empty((4, 0), np.int32)
    starts = np.cumsum(gaps, dtype=np.int32)
    stream = TokenStream(kinds[codes], starts, starts + lengths.astype(np.int32))
    return stream, np.cumsum(rest[0], dtype=np.int32) if rest else None


def pack_lexical(lexical: LexicalTerms) -> bytes:
    """Return the numbers of literals and names, then all terms; not compressed, because they are hashes."""
    counts = np.array([len(lexical.literals), len(lexical.names)], dtype="<u4")
    return counts.tobytes() + np.concatenate(lexical).astype("<u8").tobytes()


def unpack_lexical(packed: bytes) -> LexicalTerms:
    """Return the terms that `pack_lexical` packed; no imports for data from before imports were stored."""
    if len(packed) % 8:
        terms = np.frombuffer(packed, "<u8", -1, 4).astype(np.uint64)
        literals = int(np.frombuffer(packed, "<u4", 1)[0])
        return LexicalTerms(terms[:literals], terms[literals:], np.empty(0, np.uint64))
    counts = np.frombuffer(packed, "<u4", 2).astype(np.int64)
    terms = np.frombuffer(packed, "<u8", -1, 8).astype(np.uint64)
    return LexicalTerms(*np.split(terms, np.cumsum(counts)))
