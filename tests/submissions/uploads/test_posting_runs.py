"""Runs of postings are merged, and lose the documents that were deleted."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from django.db import connection, transaction
from pytest_django.plugin import DjangoDbBlocker

from submissions.models import Document, PostingBlock, PostingRun
from submissions.uploads import fingerprinting as posting_runs
from submissions.uploads.fingerprinting import POSTING, forget, look_up, merge_runs
from submissions.work.locks import Work, transaction_lock
from tests.support.fingerprints import create_documents, store

pytestmark = pytest.mark.django_db


def documents_of(*hashes: int) -> list[int]:
    keys: list[int] = look_up(connection, np.array(hashes, dtype=np.uint64)).documents.tolist()
    return keys


def stored_postings() -> set[tuple[int, int]]:
    packed = b"".join(bytes(block.packed) for block in PostingBlock.objects.all())
    return {(int(row["hash"]), int(row["document"])) for row in np.frombuffer(packed, POSTING)}


def sizes() -> list[int]:
    return sorted(PostingRun.objects.values_list("size", flat=True))


def test_four_runs_of_a_size_become_one_and_three_stay() -> None:
    keys = create_documents(4)
    for number, key in enumerate(keys, 1):
        store({key: [number, 100]})
        merge_runs()
        assert len(sizes()) == (number if number < 4 else 1)
    assert sizes() == [8]
    stored = {(number, key) for number, key in enumerate(keys, 1)}
    assert stored_postings() == stored | {(100, key) for key in keys}


def test_small_runs_alone_are_merged_where_there_is_a_limit() -> None:
    for key in create_documents(8):
        store({key: list(range(10))})
    merge_runs(79)
    assert sizes() == [10] * 8
    merge_runs(80)
    assert sizes() == [80]


@pytest.mark.long
def test_four_merged_runs_of_a_size_are_merged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting_runs, "SMALLEST", 10)
    keys = create_documents(64)
    for number, key in enumerate(keys):
        store({key: [number, 1000 + number, 2000 + number]})
        merge_runs()
        assert len(sizes()) < 10
    assert sizes() == [64 * 3]


def test_blocks_have_their_hashes_whole_and_in_order() -> None:
    keys = create_documents(100)
    random = np.random.default_rng(5)
    store({key: [*random.integers(0, 2**64 - 1, 30, dtype=np.uint64).tolist(), 3] for key in keys})
    blocks = [np.frombuffer(bytes(block.packed), POSTING) for block in PostingBlock.objects.order_by("first")]
    hashes = [block["hash"].tolist() for block in blocks]
    assert [(hashes_of_block[0], hashes_of_block[-1]) for hashes_of_block in hashes] == list(
        PostingBlock.objects.order_by("first").values_list("first", "last")
    )
    assert all(before[-1] < after[0] for before, after in pairwise(hashes))
    assert all(hashes_of_block == sorted(hashes_of_block) for hashes_of_block in hashes)
    assert [len(hashes_of_block) for hashes_of_block in hashes if 3 in hashes_of_block] == [100]
    assert max(len(hashes_of_block) for hashes_of_block in hashes if 3 not in hashes_of_block) <= 2 * posting_runs.BLOCK


def test_documents_that_were_deleted_leave_when_they_are_a_fifth() -> None:
    keys = create_documents(10)
    store({key: [key] for key in keys})
    Document.objects.filter(pk=keys[0]).delete()
    merge_runs()
    assert len(stored_postings()) == 10
    Document.objects.filter(pk=keys[1]).delete()
    merge_runs()
    assert stored_postings() == {(key, key) for key in keys[2:]}
    Document.objects.all().delete()
    merge_runs()
    assert not PostingRun.objects.exists()
    assert not PostingBlock.objects.exists()


def test_what_is_to_be_forgotten_leaves_at_once_and_other_runs_stay_as_they_are() -> None:
    first, second, third = create_documents(3)
    store({first: [1, 2], second: [1, 3]})
    store({third: [1, 4]})
    other = PostingRun.objects.latest("pk").pk
    Document.objects.filter(pk=first).delete()
    forget([first, 10**9])
    assert stored_postings() == {(1, second), (3, second), (1, third), (4, third)}
    assert PostingRun.objects.filter(pk=other).exists()
    assert documents_of(1, 2) == [second, third]


def test_a_run_is_stored_whole_or_not_at_all_and_keeps_a_document_that_is_not_deleted() -> None:
    (key,) = create_documents(1)
    with transaction.atomic():
        store({key: [1]})
        transaction.set_rollback(True)
    store({key: []})
    assert not PostingRun.objects.exists()
    store({key: [1]})
    forget([key])
    assert documents_of(1) == [key]


@pytest.mark.django_db(transaction=True)
def test_two_processes_do_not_merge_at_once(django_db_blocker: DjangoDbBlocker) -> None:
    for key in create_documents(4):
        store({key: [1]})
    locked, done = threading.Event(), threading.Event()

    def merge_elsewhere() -> None:
        with django_db_blocker.unblock():
            try:
                with transaction.atomic():
                    assert transaction_lock(Work.POSTINGS, wait=False)
                    locked.set()
                    done.wait(60)
            finally:
                connection.close()

    other = threading.Thread(target=merge_elsewhere)
    other.start()
    assert locked.wait(60)
    merge_runs()
    assert sizes() == [1] * 4
    done.set()
    other.join()
    merge_runs()
    assert sizes() == [4]
