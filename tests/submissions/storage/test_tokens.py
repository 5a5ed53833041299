from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.tokens import TokenStream
from submissions.storage.tokens import pack_tokens, unpack_with_lines

tokens = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 99), st.integers(0, 9)), max_size=20)


def stream_of(found: list[tuple[int, int, int]]) -> TokenStream:
    return TokenStream.from_triples((kind, start, start + length) for kind, start, length in found)


@given(tokens)
def test_packed_tokens_come_back_with_their_lines(found: list[tuple[int, int, int]]) -> None:
    stream, lines = stream_of(found), np.array([start // 3 for _, start, _ in found], np.int32)
    again, lines_again = unpack_with_lines(pack_tokens(stream, lines))
    assert lines_again is not None
    for one, other in ((again.kinds, stream.kinds), (again.starts, stream.starts), (again.ends, stream.ends)):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
    assert (lines_again.dtype, lines_again.tolist()) == (lines.dtype, lines.tolist())


def test_tokens_packed_before_lines_were_kept_are_read_without() -> None:
    stream = stream_of([(7, 0, 2), (9, 4, 5), (7, 6, 7)])
    raw = zlib.decompress(pack_tokens(stream, np.array([1, 1, 2], np.int32)))
    again, lines = unpack_with_lines(zlib.compress(raw[: -4 * len(stream)]))
    assert lines is None
    assert (again.kinds.tolist(), again.starts.tolist(), again.ends.tolist()) == (
        [7, 9, 7],
        [0, 4, 6],
        [2, 9, 13],
    )
