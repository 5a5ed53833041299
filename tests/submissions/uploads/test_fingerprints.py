"""The positional fingerprints of a document come back from its packed bytes."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from submissions.models import Document
from submissions.uploads.stored_documents import load, pack_fingerprints, unpack_fingerprints
from tests.support.fingerprints import create_documents

TOP = 2**64 - 1
ROWS = st.lists(st.tuples(st.integers(0, TOP), st.integers(0, 2**31 - 1)))


def packed(rows: list[tuple[int, int]]) -> bytes:
    hashes = np.array([row[0] for row in rows], dtype=np.uint64)
    return pack_fingerprints(hashes, np.array([row[1] for row in rows], dtype=np.int64))


@given(ROWS)
def test_fingerprints_come_back_in_the_order_of_their_positions(rows: list[tuple[int, int]]) -> None:
    hashes, positions = unpack_fingerprints(packed(rows))
    assert (hashes.dtype.name, positions.dtype.name) == ("uint64", "int64")
    expected = sorted(rows, key=lambda row: row[1])
    assert list(zip(hashes.tolist(), positions.tolist(), strict=True)) == expected


def test_a_fingerprint_takes_nine_bytes_where_positions_are_near_each_other() -> None:
    assert len(packed([(TOP, 3 * number) for number in range(1000)])) == 5 + 9 * 1000
    assert len(packed([(1, 0), (2, 300)])) == 5 + 10 * 2
    assert len(packed([(1, 0), (2, 70_000)])) == 5 + 12 * 2


def test_no_bytes_are_no_fingerprints() -> None:
    assert [len(column) for column in unpack_fingerprints(b"")] == [0, 0]


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 hashes with 1 positions"):
        pack_fingerprints(np.array([1, 2], dtype=np.uint64), np.array([1]))
    for position in (2**31, -1):
        with pytest.raises(ValueError, match="they are from 0 to 2147483647"):
            pack_fingerprints(np.array([1], dtype=np.uint64), np.array([position]))


def test_the_fingerprints_of_documents_are_loaded_and_unknown_ones_left_out(db: None) -> None:
    first, second = create_documents(2)
    Document.objects.filter(pk=first).update(fingerprints=packed([(TOP, 5), (2**63, 9)]))
    loaded = load([first, second, 10**12])
    assert {pk: stored.hashes.tolist() for pk, stored in loaded.items()} == {first: [TOP, 2**63], second: []}
    assert loaded[first].positions.tolist() == [5, 9]
