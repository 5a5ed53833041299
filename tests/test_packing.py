import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.tokens import TokenStream
from submissions.packing import pack_tokens, unpack_tokens

tokens = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(1, 2000)))


@given(tokens)
def test_a_token_stream_comes_back_from_its_packing(parts: list[tuple[int, int, int]]) -> None:
    at, triples = 0, []
    for kind, gap, length in parts:
        triples.append((kind, at + gap, at + gap + length))
        at += gap + length
    stream = TokenStream.of(triples)
    back = unpack_tokens(pack_tokens(stream))
    for before, after in zip(
        (stream.kinds, stream.starts, stream.ends), (back.kinds, back.starts, back.ends), strict=True
    ):
        assert np.array_equal(before, after)
        assert before.dtype == after.dtype


def test_ordinary_code_takes_a_few_bytes_a_token() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 12, 5000)
    ends = np.cumsum(lengths + 1)
    kinds = rng.choice(rng.integers(0, 2**63, 60), 5000)
    stream = TokenStream.of(zip(kinds.tolist(), (ends - lengths).tolist(), ends.tolist(), strict=True))
    assert len(pack_tokens(stream)) < 4 * len(stream)
