"""Pack the tokens, lines and terms of a document as bytes for the database, and unpack them."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import Coarse, LexicalTerms, TokenStream

if TYPE_CHECKING:
    from fingerprint.types import Lines

COARSE_LENGTHS = struct.Struct("<2I")


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


def pack_coarse(coarse: Coarse | None, lines: Lines) -> bytes:
    """Return a coarse stream with the line of each symbol as bytes, none for no stream.

    The lengths of the first two parts, then the parts: family, symbols with their lines, terms.
    """
    if coarse is None:
        return b""
    parts = (coarse.family.encode(), pack_tokens(coarse.tokens, lines), coarse.terms.astype("<u8").tobytes())
    return COARSE_LENGTHS.pack(*map(len, parts[:2])) + b"".join(parts)


def unpack_coarse(packed: bytes) -> tuple[Coarse, Lines] | None:
    """Return the coarse stream that `pack_coarse` packed, with its lines."""
    if not packed:
        return None
    family, tokens = COARSE_LENGTHS.unpack_from(packed)
    start = COARSE_LENGTHS.size
    stream, lines = unpack_with_lines(packed[start + family : start + family + tokens])
    if lines is None:
        raise ValueError("a coarse stream has no lines")
    terms = np.frombuffer(packed[start + family + tokens :], "<u8").astype(np.uint64)
    return Coarse(packed[start : start + family].decode(), stream, terms), lines


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
