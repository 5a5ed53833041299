from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.hamming_index import (
    HammingIndex,
    Matches,
    batch_query,
    compress,
    decompress,
    huffman_code,
)
from fingerprint.sketches.simhash import EXAMPLE_3_1, Design, design, tables_needed
from tests.fingerprint import naive

Words = npt.NDArray[np.uint64]

DESIGNS: list[int | Design] = [*EXAMPLE_3_1, design(1, 2), design(5, 7)]
BASES = [0, 1, 2**63, 2**64 - 2, 2**64 - 1, 0x0123456789ABCDEF]


@st.composite
def fingerprints(draw: st.DrawFn) -> int:
    """Draw one of a few values with a few bits flipped, so that near pairs are frequent."""
    value = draw(st.sampled_from(BASES))
    for bit in draw(st.lists(st.integers(0, 63), max_size=4)):
        value ^= 1 << bit
    return value


many = st.lists(fingerprints(), max_size=12)


def words(values: list[int]) -> Words:
    return np.array(values, dtype=np.uint64)


def rows(matches: Matches) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in matches), strict=True))


@pytest.mark.long
@given(many, many, st.sampled_from(DESIGNS), st.integers(0, 5), st.sampled_from(["plain", "compressed"]))
def test_recall_and_precision_are_1_against_brute_force(
    stored: list[int], queries: list[int], tables: int | Design, distance: int, variant: str
) -> None:
    index = HammingIndex(words(stored), tables=tables, compressed=variant == "compressed")
    distance = min(distance, index.design.distance)
    assert rows(index.query(words(queries), distance)) == naive.near(queries, stored, distance)


@given(many, many, st.integers(0, 3), st.integers(1, 5))
def test_a_batch_query_finds_all_matches_of_brute_force(
    stored: list[int], queries: list[int], distance: int, chunk: int
) -> None:
    matches = batch_query(words(queries), words(stored), distance, chunk=chunk)
    assert rows(matches) == naive.near(queries, stored, distance)


def planted(size: int) -> tuple[Words, Words]:
    """Return random fingerprints, and queries that differ from one of them in 0 to 5 bits."""
    random = np.random.default_rng(size)
    stored = random.integers(0, 2**64, size, dtype=np.uint64)
    queries = random.choice(stored, 600)
    for query in range(len(queries)):
        for bit in random.choice(64, query % 6, replace=False):
            queries[query] ^= np.uint64(1) << np.uint64(bit)
    return stored, queries


@pytest.mark.parametrize("tables", EXAMPLE_3_1)
def test_every_planted_neighbour_is_found_among_many(tables: int) -> None:
    stored, queries = planted(20_000)
    differing = np.bitwise_count(queries[:, None] ^ stored)
    expected = [list(side) for side in np.nonzero(differing <= 3)]
    plain, compressed = (HammingIndex(stored, tables=tables, compressed=variant) for variant in (False, True))
    for index in (plain, compressed):
        matches = index.query(queries)
        assert [matches.query.tolist(), matches.stored.tolist()] == expected
    assert compressed.nbytes < plain.nbytes


def test_a_file_is_scanned_chunk_by_chunk(tmp_path: Path) -> None:
    stored, queries = planted(5_000)
    path = tmp_path / "stored.npy"
    np.save(path, stored)
    assert rows(batch_query(queries, path, chunk=700)) == rows(HammingIndex(stored).query(queries))


def test_more_matches_than_expected_are_all_found() -> None:
    stored = words([7] * 500)
    matches = HammingIndex(stored).query(words([7, 6]))
    assert len(matches.query) == 1000
    assert rows(HammingIndex(stored, compressed=True).query(words([7, 6]))) == rows(matches)


@given(st.lists(fingerprints(), max_size=40))
def test_decompressing_returns_the_compressed_values(values: list[int]) -> None:
    assert decompress(compress(words(sorted(values)))).tolist() == sorted(values)


def test_a_full_block_is_followed_by_another_one() -> None:
    stored = np.sort(np.concatenate([planted(5_000)[0], np.full(20_000, 5, dtype=np.uint64)]))
    blocks = compress(stored)
    assert len(blocks.keys) > 30
    assert blocks.keys.tolist() == stored[blocks.firsts[1:] - 1].tolist()
    assert np.array_equal(decompress(blocks), stored)


def test_blocks_take_about_half_of_the_bytes_at_the_density_of_the_paper() -> None:
    # Of 2**34 sorted fingerprints, 2**14 adjacent ones lie within 2**44 or so of each other.
    slice_of_many = np.sort(np.random.default_rng(1).integers(0, 2**44, 2**14, dtype=np.uint64))
    blocks = compress(slice_of_many)
    assert 0.45 < blocks.nbytes / slice_of_many.nbytes < 0.58


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_huffman_code_is_a_complete_prefix_code(frequencies: list[int]) -> None:
    code = huffman_code(np.array(frequencies))
    lengths = [int(length) for length, frequency in zip(code.lengths, frequencies, strict=True) if frequency]
    assert all(length > 0 for length in lengths)
    if len(lengths) > 1:
        assert sum(2.0**-length for length in lengths) == 1
    texts = [f"{int(code.codes[s]):0{int(code.lengths[s])}b}" for s, f in enumerate(frequencies) if f]
    assert all(a == b or not b.startswith(a) for a in texts for b in texts)


@pytest.mark.parametrize(("tables", "prefixes"), [(4, {16}), (10, {25, 26}), (16, {28}), (20, {31, 32, 33})])
def test_the_designs_are_those_of_example_3_1(tables: int, prefixes: set[int]) -> None:
    layouts = EXAMPLE_3_1[tables].layouts
    assert len(layouts) == tables
    assert {len(layout.lead) for layout in layouts} == prefixes
    assert all(sorted(layout.lead + layout.rest) == list(range(64)) for layout in layouts)


@given(st.sets(st.integers(0, 63), max_size=5), st.sampled_from([*EXAMPLE_3_1.values(), design(5, 7)]))
def test_at_least_one_table_leads_with_bits_that_do_not_differ(differing: set[int], tables: Design) -> None:
    if len(differing) <= tables.distance:
        assert any(not differing & set(layout.lead) for layout in tables.layouts)


def test_tables_needed_gives_the_numbers_of_example_3_1() -> None:
    assert [tables_needed(64, 3, 34, prefix) for prefix in (16, 25, 28, 31)] == [4, 10, 16, 20]
    assert tables_needed(64, 3, 34) == 20
    assert tables_needed(64, 3, 34, 61) == comb(64, 3)
    assert tables_needed(64, 3, 0) == 1


@given(st.integers(2, 9), st.integers(0, 2), st.integers(0, 6), st.integers(0, 6))
def test_tables_needed_is_the_formula(f: int, k: int, d: int, prefix: int) -> None:
    k = min(k, f - 1)
    prefix = min(prefix, f - k)
    assert tables_needed(f, k, d, prefix) == naive.tables_needed(f, k, d, d - prefix)


def test_a_distance_the_tables_do_not_cover_is_refused() -> None:
    with pytest.raises(ValueError, match="distance is 4; these 10 tables cover 0 to 3 bits"):
        HammingIndex(words([1])).query(words([1]), 4)
    with pytest.raises(ValueError, match="distance is -1"):
        HammingIndex(words([1])).query(words([1]), -1)


def test_another_number_of_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="7 tables are asked for; 4, 10, 16, 20 or a design"):
        HammingIndex(words([1]), tables=7)


@pytest.mark.parametrize(
    ("distance", "blocks", "complaint"),
    [
        (3, (), "no number of blocks is given"),
        (-1, (4,), "distance is -1"),
        (3, (3,), "3 blocks of 64 bits are given for distance 3; 4 to 64 are allowed"),
        (3, (65,), "65 blocks"),
    ],
)
def test_impossible_designs_are_refused(distance: int, blocks: tuple[int, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        design(distance, *blocks)


@pytest.mark.parametrize(
    ("f", "k", "d", "prefix", "complaint"),
    [
        (65, 3, 34, None, "f is 65"),
        (64, 64, 34, None, "k is 64; with 64 bits it is 0 to 63"),
        (64, 3, -1, None, "d is -1"),
        (64, 3, float("nan"), None, "d is nan"),
        (64, 3, 34, 62, "a prefix of 62 bits is asked for; with f=64, k=3 it is 0 to 61"),
    ],
)
def test_impossible_table_parameters_are_refused(f: int, k: int, d: float, prefix: int | None, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        tables_needed(f, k, d, prefix)


def test_arrays_of_another_dtype_or_order_are_refused() -> None:
    signed = np.array([1, 2])
    with pytest.raises(ValueError, match="values is a 1-dimensional int64 array"):
        HammingIndex(signed)
    with pytest.raises(ValueError, match="ascending uint64 is needed"):
        compress(words([2, 1]))
    with pytest.raises(ValueError, match="chunk is 0"):
        batch_query(words([1]), words([1]), chunk=0)
