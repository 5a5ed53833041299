"""What a front-end made of a document as bytes for the database: small, exact, read back without lexing."""

from __future__ import annotations

import zlib

import numpy as np

from fingerprint.lexical import Lexical
from fingerprint.tokens import TokenStream


def pack_tokens(stream: TokenStream) -> bytes:
    """Columns of little-endian numbers, differences where neighbours are close, deflated."""
    kinds, codes = np.unique(stream.kinds, return_inverse=True)
    columns = (
        np.array([len(kinds), len(stream)], dtype="<u4"),
        kinds.astype("<u8"),
        codes.astype("<u4"),
        np.diff(stream.starts, prepend=0).astype("<i4"),
        (stream.ends - stream.starts).astype("<i4"),
    )
    return zlib.compress(b"".join(column.tobytes() for column in columns), level=1)


def unpack_tokens(packed: bytes) -> TokenStream:
    """Inverse of `pack_tokens`."""
    raw = memoryview(zlib.decompress(packed))
    distinct, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    kinds = np.frombuffer(raw, "<u8", distinct, 8).astype(np.uint64)
    codes, gaps, lengths = np.frombuffer(raw, "<u4", 3 * count, 8 + 8 * distinct).reshape(3, count)
    starts = np.cumsum(gaps.astype(np.int32), dtype=np.int32)
    return TokenStream(kinds[codes], starts, starts + lengths.astype(np.int32))


def pack_lexical(lexical: Lexical) -> bytes:
    """Write the number of literals, then all terms: hashes, which no compression makes smaller."""
    count = np.array([len(lexical.literals)], dtype="<u4")
    return count.tobytes() + np.concatenate(lexical).astype("<u8").tobytes()


def unpack_lexical(packed: bytes) -> Lexical:
    """Inverse of `pack_lexical`."""
    literals = int(np.frombuffer(packed, "<u4", 1)[0])
    terms = np.frombuffer(packed, "<u8", -1, 4).astype(np.uint64)
    return Lexical(terms[:literals], terms[literals:])
