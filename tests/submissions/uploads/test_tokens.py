import numpy as np
from hypothesis import given, strategies as st

from fingerprint.engine import Coarse, StringWords
from fingerprint.tokens import TokenStream
from submissions.intake.packed_readings import (
    pack_coarse,
    pack_tokens,
    pack_words,
    unpack_coarse,
    unpack_with_lines,
    unpack_words,
)

tokens = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 99), st.integers(0, 9)), max_size=20)


def stream_of(rows: list[tuple[int, int, int]]) -> TokenStream:
    """Return the tokens of (kind, start, length) rows."""
    return TokenStream.from_triples((kind, start, start + length) for kind, start, length in rows)


@given(tokens)
def test_packed_tokens_come_back_with_their_lines(rows: list[tuple[int, int, int]]) -> None:
    stream, lines = stream_of(rows), np.array([start // 3 for _, start, _ in rows], np.int32)
    unpacked, unpacked_lines = unpack_with_lines(pack_tokens(stream, lines))
    for column in ("kinds", "starts", "ends"):
        expected, actual = getattr(stream, column), getattr(unpacked, column)
        assert (actual.dtype, actual.tolist()) == (expected.dtype, expected.tolist())
    assert (unpacked_lines.dtype, unpacked_lines.tolist()) == (lines.dtype, lines.tolist())


@given(tokens, st.sampled_from(["c", "java", "javascript"]), st.sets(st.integers(0, 2**64 - 1)))
def test_a_packed_coarse_stream_comes_back_with_its_family_and_terms(
    rows: list[tuple[int, int, int]], family: str, terms: set[int]
) -> None:
    lines = np.array([start // 3 for _, start, _ in rows], np.int32)
    coarse = Coarse(family, stream_of(rows), np.array(sorted(terms), dtype=np.uint64))
    unpacked = unpack_coarse(pack_coarse(coarse, lines))
    assert unpacked is not None
    assert unpacked[0].family == family
    assert unpacked[0].tokens.kinds.tolist() == coarse.tokens.kinds.tolist()
    assert unpacked[0].tokens.ends.tolist() == coarse.tokens.ends.tolist()
    assert unpacked[0].terms.tolist() == sorted(terms)
    assert unpacked[1].tolist() == lines.tolist()


def test_a_document_without_a_coarse_stream_is_packed_as_nothing() -> None:
    assert pack_coarse(None, np.empty(0, np.int32)) == b""
    assert unpack_coarse(b"") is None


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), max_size=20))
def test_packed_words_of_strings_come_back(rows: list[tuple[int, int]]) -> None:
    strings, words = np.array(rows, dtype=np.uint64).reshape(-1, 2).T
    unpacked = unpack_words(pack_words(StringWords(strings, words)))
    assert (unpacked.strings.tolist(), unpacked.words.tolist()) == (strings.tolist(), words.tolist())
