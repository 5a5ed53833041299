from __future__ import annotations

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import given, strategies as st

from submissions.models import Document, Source
from submissions.storage import fingerprints as store
from submissions.storage.binary_copy import decode, encode

TOP = 2**64 - 1


@pytest.fixture
def documents(db: None) -> list[int]:
    """Return the ids of three documents."""
    source = Source.objects.create(sha256="0" * 64, data=b"x", size=1)
    return [
        Document.objects.create(source=source, profile=name, language="python").pk for name in ("a", "b", "c")
    ]


def save(document: int, *rows: tuple[int, int]) -> None:
    hashes = np.array([row[0] for row in rows], dtype=np.uint64)
    store.save(connection, {document: (hashes, np.array([row[1] for row in rows], dtype=np.int64))})


def load(*documents: int) -> list[tuple[int, int, int]]:
    """Return (document, position, hash) rows, sorted."""
    hashes, owners, positions = store.load(connection, documents)
    assert [column.dtype.name for column in (hashes, owners, positions)] == ["uint64", "int64", "int32"]
    return sorted(zip(owners.tolist(), positions.tolist(), hashes.tolist(), strict=True))


def test_fingerprints_come_back_as_they_went_in(documents: list[int]) -> None:
    first, second, third = documents
    save(first, (0, 0), (TOP, 5), (2**63, 2**31 - 1))
    save(second, (7, 1), (7, 2))
    save(third, (9, 9))
    assert load(first, second) == [
        (first, 0, 0), (first, 5, TOP), (first, 2**31 - 1, 2**63), (second, 1, 7), (second, 2, 7),
    ]  # fmt: skip


def test_the_rows_of_a_document_are_loaded_together(documents: list[int]) -> None:
    for document in documents:
        save(document, *((n, n) for n in range(50)))
    _, owners, _ = store.load(connection, documents)
    assert np.count_nonzero(np.diff(owners)) == 2


def test_saving_again_replaces(documents: list[int]) -> None:
    save(documents[0], (1, 1), (2, 2))
    save(documents[0], (3, 3))
    save(documents[0], (3, 3))
    assert load(*documents) == [(documents[0], 3, 3)]


def test_a_document_without_fingerprints_and_an_unknown_one_have_none(documents: list[int]) -> None:
    save(documents[0])
    assert load(documents[0], 10**12) == []
    assert load() == []


def test_a_document_is_stored_whole_or_not_at_all(documents: list[int]) -> None:
    save(documents[0], (1, 1))
    with transaction.atomic():
        save(documents[0], (2, 2))
        transaction.set_rollback(True)
    assert load(*documents) == [(documents[0], 1, 1)]


def test_fingerprints_of_no_document_are_refused(documents: list[int]) -> None:
    with pytest.raises(IntegrityError):
        save(10**12, (1, 1))
    assert load(10**12) == []


def test_arrays_that_do_not_fit_are_refused(documents: list[int]) -> None:
    with pytest.raises(ValueError, match="2 hashes with 1 positions"):
        store.save(connection, {documents[0]: (np.array([1, 2], dtype=np.uint64), np.array([1]))})
    with pytest.raises(ValueError, match="position 2147483648; the limit is 2147483647"):
        store.save(connection, {documents[0]: (np.array([1], dtype=np.uint64), np.array([2**31]))})


def test_look_up_counts_distinct_hashes_per_document(documents: list[int]) -> None:
    first, second, third = documents
    save(first, (1, 1), (1, 2), (TOP, 3), (4, 4))
    save(second, (TOP, 1))
    save(third, (5, 1))
    matches, counts = store.count_shared(connection, np.array([TOP, 1, 1, 99], dtype=np.uint64))
    assert matches.tolist() == [first, second]
    assert counts.tolist() == [2, 1]


def test_look_up_of_nothing_finds_nothing(documents: list[int]) -> None:
    save(documents[0], (1, 1))
    matches, counts = store.count_shared(connection, np.array([], dtype=np.uint64))
    assert matches.tolist() == counts.tolist() == []


def test_fingerprints_are_deleted_with_their_document(documents: list[int]) -> None:
    save(documents[0], (1, 1))
    save(documents[1], (1, 1))
    Document.objects.filter(pk=documents[0]).delete()
    assert load(*documents) == [(documents[1], 1, 1)]


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**31), 2**31 - 1))))
def test_binary_copy_is_lossless(rows: list[tuple[int, int]]) -> None:
    hashes = np.array([row[0] for row in rows], dtype=np.int64)
    positions = np.array([row[1] for row in rows], dtype=np.int32)
    decoded = decode(encode([hashes, positions]), ("i8", "i4"))
    assert list(zip(*(column.tolist() for column in decoded), strict=True)) == rows


def test_binary_copy_of_other_columns_is_refused() -> None:
    data = encode([np.array([1], dtype=np.int32)])
    with pytest.raises(ValueError, match="not binary COPY"):
        decode(data, ("i8",))
