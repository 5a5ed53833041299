"""What a front-end made of a document as bytes for the database: small, exact, read back without lexing."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import Lexical, TokenStream

if TYPE_CHECKING:
    from fingerprint.types import Lines


def pack_tokens(stream: TokenStream, lines: Lines) -> bytes:
    """Columns of little-endian numbers, differences where neighbours are close, deflated."""
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
    """Tokens of what `pack_tokens` wrote."""
    return unpack_with_lines(packed)[0]


def unpack_with_lines(packed: bytes) -> tuple[TokenStream, Lines | None]:
    """Inverse of `pack_tokens`; None for the lines of what was packed when they were not yet kept."""
    raw = memoryview(zlib.decompress(packed))
    distinct, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    kinds = np.frombuffer(raw, "<u8", distinct, 8).astype(np.uint64)
    columns = np.frombuffer(raw, "<i4", -1, 8 + 8 * distinct)
    codes, gaps, lengths, *rest = columns.reshape(-1, count) if count else np.empty((4, 0), np.int32)
    starts = np.cumsum(gaps, dtype=np.int32)
    stream = TokenStream(kinds[codes], starts, starts + lengths.astype(np.int32))
    return stream, np.cumsum(rest[0], dtype=np.int32) if rest else None


def pack_lexical(lexical: Lexical) -> bytes:
    """Write the number of literals, then all terms: hashes, which no compression makes smaller."""
    count = np.array([len(lexical.literals)], dtype="<u4")
    return count.tobytes() + np.concatenate(lexical).astype("<u8").tobytes()


def unpack_lexical(packed: bytes) -> Lexical:
    """Inverse of `pack_lexical`."""
    literals = int(np.frombuffer(packed, "<u4", 1)[0])
    terms = np.frombuffer(packed, "<u8", -1, 4).astype(np.uint64)
    return Lexical(terms[:literals], terms[literals:])
