"""Documents that share rare fingerprints are found by look-up, in Postgres."""

from collections import defaultdict

import numpy as np
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings, strategies as st

from submissions.models import Document, PostingBlock, PostingRun, Source
from submissions.uploads import fingerprinting as posting_runs
from submissions.uploads.fingerprinting import LOOK_UP, SharedRarity, look_up, merge_runs
from submissions.uploads.stored_documents import load, pack_fingerprints, unpack_fingerprints
from tests.support.fingerprints import create_documents, store

TOP = 2**64 - 1
HASHES = st.lists(st.sampled_from([*range(6), 2**63 - 1, 2**63, TOP]), max_size=20)
REPEATED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)


def rarity_of(wanted: list[int], limit: int = 500) -> SharedRarity:
    return look_up(connection, np.array(wanted, dtype=np.uint64), limit)


def naive_look_up(stored: dict[int, set[int]], wanted: set[int], limit: int) -> dict[int, float]:
    weights: dict[int, float] = defaultdict(float)
    for value in wanted:
        having = [document for document, values in stored.items() if value in values]
        for document in having if len(having) <= limit else []:
            weights[document] += len(having) ** -0.5
    return weights


@pytest.mark.long
@pytest.mark.django_db
@REPEATED
@given(st.data(), st.lists(HASHES, min_size=1, max_size=12), HASHES, st.integers(1, 12))
def test_a_look_up_finds_what_comparing_with_every_document_finds(
    data: st.DataObject, stored: list[list[int]], wanted: list[int], limit: int
) -> None:
    """However the documents are spread over runs, and merged."""
    PostingRun.objects.all().delete()
    Source.objects.all().delete()
    by_key = dict(zip(create_documents(len(stored)), stored, strict=True))
    run_of = {pk: data.draw(st.integers(0, 5)) for pk in by_key}
    for number in range(6):
        store({pk: values for pk, values in by_key.items() if run_of[pk] == number})
    if data.draw(st.booleans()):
        merge_runs()
    shared = rarity_of(wanted, limit)
    expected = naive_look_up({pk: set(values) for pk, values in by_key.items()}, set(wanted), limit)
    assert shared.documents.tolist() == sorted(expected)
    assert shared.weights.tolist() == pytest.approx([expected[key] for key in sorted(expected)])


@pytest.mark.django_db
def test_many_documents_with_many_hashes_are_found_by_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many blocks, some of a single common hash, and merged in several parts."""
    monkeypatch.setattr(posting_runs, "CHUNK", 1_000)
    random = np.random.default_rng(3)
    common = random.integers(0, TOP, 5, dtype=np.uint64).tolist()
    stored = {pk: [*random.integers(0, TOP, 40, dtype=np.uint64).tolist(), *common] for pk in create_documents(300)}
    for start in range(0, 300, 60):
        store(dict(list(stored.items())[start : start + 60]))
    for _ in range(2):
        for pk, values in list(stored.items())[::37]:
            assert rarity_of(values, 299).documents.tolist() == [pk]
            assert len(rarity_of(values, 300).documents) == 300
        merge_runs()
    assert PostingRun.objects.get().size == 300 * 45
    assert PostingBlock.objects.filter(frequency=300).count() == 5
    assert not PostingBlock.objects.filter(frequency__gt=1).exclude(frequency=300).exists()


@pytest.mark.django_db
def test_the_block_of_a_hash_in_too_many_documents_is_not_read() -> None:
    keys = create_documents(130)
    store({key: [7, key] for key in keys[:65]})
    store({key: [7, key] for key in keys[65:]})
    with connection.cursor() as cursor:
        cursor.execute(LOOK_UP, {"hashes": [7, keys[0]], "most": 64})
        assert {(value, packed is None) for value, packed in cursor.fetchall()} == {
            (7, True), (keys[0], False)
        }  # fmt: skip
    assert rarity_of([7], 129).documents.tolist() == []
    assert rarity_of([7], 130).documents.tolist() == keys


@pytest.mark.django_db
def test_a_look_up_reads_one_block_of_a_run_for_each_hash_by_the_index() -> None:
    keys = create_documents(200)
    random = np.random.default_rng(1)
    store({key: random.integers(0, 2**63, 200).tolist() for key in keys})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_postingblock, submissions_postingrun")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {LOOK_UP}", {"hashes": list(range(100)), "most": 500})
        plan = str(cursor.fetchone())
    assert "'Node Type': 'Index Scan'" in plan
    assert "'Scan Direction': 'Backward'" in plan
    assert "'Relation Name': 'submissions_postingblock'" in plan
    assert "'Node Type': 'Sort'" not in plan


@pytest.mark.django_db
def test_a_hash_in_too_many_documents_is_dropped_and_a_repeated_one_counts_once() -> None:
    assert rarity_of([1]).documents.tolist() == []
    with pytest.raises(ValueError, match="document 4294967296; the limit is 4294967295"):
        posting_runs.add_run({2**32: np.array([1], dtype=np.uint64)})
    keys = create_documents(5)
    store({key: [7] for key in keys[1:]} | {keys[0]: [7, TOP, TOP, TOP, TOP]})
    assert rarity_of([]).documents.tolist() == []
    shared = rarity_of([7, TOP], 4)
    assert (shared.documents.tolist(), shared.weights.tolist()) == ([keys[0]], [1.0])


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
