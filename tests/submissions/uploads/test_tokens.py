from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import Coarse, StringWords, Unreadable
from fingerprint.tokens import TokenStream
from submissions.intake.packed_readings import (
    PackedReading,
    pack_coarse,
    pack_tokens,
    pack_words,
    together_then_alone,
    unpack_coarse,
    unpack_with_lines,
    unpack_words,
)
from tests.fingerprint import languages
from tests.fingerprint.test_reading import plain

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


@pytest.mark.parametrize("coarse", [False, True])
def test_a_packed_reading_comes_back_from_the_database_and_from_the_cache(*, coarse: bool) -> None:
    source = Path(languages.__file__).parent / "golden" / "java.java"
    reading = engine.read(
        source.read_bytes(), source.name, coarse=coarse, spans=True, spelling=True, words=True
    )
    reading = reading._replace(text="", share=0.5, unclosed=(3, 8))
    packed = PackedReading.of(reading)
    for stored in (packed, PackedReading.from_bytes(packed.to_bytes())):
        assert plain(stored.reading()) == plain(reading)


@given(
    st.lists(st.sampled_from(["read", "refused", "fails"]), max_size=9), st.integers(1, 4), st.integers(1, 4)
)
def test_files_that_fail_together_are_read_alone_each_once_and_in_order(
    kinds: list[str], most: int, answered: int
) -> None:
    requests: list[list[int]] = []

    def read(files: Sequence[int]) -> list[int | Unreadable]:
        requests.append(list(files))
        if any(kinds[file] == "fails" for file in files):
            raise Unreadable("failed")
        results = [Unreadable("refused") if kinds[file] == "refused" else file for file in files]
        return results[:answered]

    results = list(together_then_alone(range(len(kinds)), read, lambda rest: min(len(rest), most)))
    assert [file for file, _ in results] == list(range(len(kinds)))
    expected = {"read": None, "refused": "refused", "fails": "failed"}
    for file, result in results:
        assert result == file if kinds[file] == "read" else str(result) == expected[kinds[file]]
    failed = [any(kinds[file] == "fails" for file in files) for files in requests]
    after = requests[failed.index(True) + 1 :] if any(failed) else []
    assert all(len(files) == 1 for files in after)
