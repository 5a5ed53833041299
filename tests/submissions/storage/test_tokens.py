from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.tokens import TokenStream
from submissions.storage.tokens import pack_tokens, unpack_with_lines

tokens = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 99), st.integers(0, 9)), max_size=20)


def stream_of(rows: list[tuple[int, int, int]]) -> TokenStream:
    """Return the tokens of (kind, start, length) rows."""
    return TokenStream.from_triples((kind, start, start + length) for kind, start, length in rows)


@given(tokens)
def test_packed_tokens_come_back_with_their_lines(rows: list[tuple[int, int, int]]) -> None:
    stream, lines = stream_of(rows), np.array([start // 3 for _, start, _ in rows], np.int32)
    unpacked, unpacked_lines = unpack_with_lines(pack_tokens(stream, lines))
    assert unpacked_lines is not None
    for column in ("kinds", "starts", "ends"):
        expected, actual = getattr(stream, column), getattr(unpacked, column)
        assert (actual.dtype, actual.tolist()) == (expected.dtype, expected.tolist())
    assert (unpacked_lines.dtype, unpacked_lines.tolist()) == (lines.dtype, lines.tolist())


def test_tokens_packed_before_lines_were_stored_are_read_without() -> None:
    stream = stream_of([(7, 0, 2), (9, 4, 5), (7, 6, 7)])
    raw = zlib.decompress(pack_tokens(stream, np.array([1, 1, 2], np.int32)))
    unpacked, lines = unpack_with_lines(zlib.compress(raw[: -4 * len(stream)]))
    assert lines is None
    assert (unpacked.kinds.tolist(), unpacked.starts.tolist(), unpacked.ends.tolist()) == (
        [7, 9, 7],
        [0, 4, 6],
        [2, 9, 13],
    )
