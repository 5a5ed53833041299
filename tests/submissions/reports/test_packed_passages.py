from itertools import chain

import numpy as np
import pytest
from django.core.serializers import deserialize, serialize
from django.db import connection
from hypothesis import given, strategies as st

from fingerprint.engine import Passage
from submissions.models import Assignment, Pair, Report
from submissions.reports.models import PassageRecord, pack_passages, pack_records, unpack

keys, figures = st.integers(1, 2**62), st.integers(0, 2**31 - 1)
records = st.builds(PassageRecord, keys, figures, keys, figures, figures, figures, st.booleans())
RECORDS = [PassageRecord(2**40, 3, 7, 5, 30, 2), PassageRecord(7, 0, 2**40, 1, 9, 12, common=True)]


@pytest.fixture
def pair(assignment: Assignment) -> Pair:
    batch = assignment.batches.create()
    left, right = (batch.submissions.create(name=name) for name in ("ada", "bob"))
    sides = ("left_share", "right_share", "left_with_common", "right_with_common")
    shares = dict.fromkeys(("similarity", *sides, "structure", "literals", "names"), 0.5)
    counts = dict.fromkeys(("tokens", "lines", "longest"), 30)
    report = Report.objects.create(assignment=assignment)
    return Pair.objects.create(report=report, left=left, right=right, passages=RECORDS, **shares, **counts)


@given(st.lists(records, max_size=8))
def test_passages_are_read_as_they_were_packed(passages: list[PassageRecord]) -> None:
    assert unpack(pack_records(passages)) == passages


@given(st.lists(st.lists(records, max_size=8), max_size=4))
def test_rows_of_the_engine_are_packed_with_the_keys_of_their_files(pairs: list[list[PassageRecord]]) -> None:
    every = list(chain.from_iterable(pairs))
    files = sorted({key for one in every for key in (one.left_file, one.right_file)})
    rows = [one._replace(left_file=files.index(one.left_file), right_file=files.index(one.right_file)) for one in every]
    table = np.array(rows, dtype=np.int32).reshape(-1, len(Passage._fields))
    starts = np.cumsum([0, *map(len, pairs)])
    packed = pack_passages(table, starts, np.array(files, dtype=np.int64))
    assert [unpack(packed_pair) for packed_pair in packed] == pairs


def test_a_pair_has_its_passages_in_the_database_and_after_dumpdata_and_loaddata(pair: Pair) -> None:
    pair.refresh_from_db()
    assert pair.passages == RECORDS
    dump = serialize("json", [pair])
    Pair.objects.all().delete()
    for restored in deserialize("json", dump):
        restored.save()
    assert Pair.objects.get().passages == RECORDS


def test_a_pair_without_passages_has_an_empty_list(pair: Pair) -> None:
    pair.passages = []
    pair.save()
    assert Pair.objects.get().passages == Pair().passages == []
    with connection.cursor() as cursor:
        cursor.execute("UPDATE submissions_pair SET passages = ''")
    assert Pair.objects.get().passages == []


def test_the_key_of_a_passage_is_the_same_from_both_sides() -> None:
    assert RECORDS[0].key == RECORDS[0].exchanged.key != RECORDS[1].key
