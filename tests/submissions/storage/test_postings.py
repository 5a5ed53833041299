"""Documents that share rare fingerprints are found by look-up, in Postgres."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings, strategies as st

from submissions.models import Document, Source
from submissions.storage import fingerprints
from submissions.storage.postings import LOOK_UP, look_up

HASHES = st.lists(st.integers(0, 12), max_size=20)


def create_documents(count: int) -> list[int]:
    source = Source.objects.create(sha256="1" * 64, data=b"x", size=1)
    rows = [Document(source=source, profile=f"p{number}", language="python") for number in range(count)]
    return [row.pk for row in Document.objects.bulk_create(rows)]


def save(document: int, hashes: list[int]) -> None:
    values = np.array(hashes, dtype=np.uint64)
    fingerprints.save(connection, {document: (values, np.arange(len(values)))})


def naive_look_up(stored: dict[int, set[int]], wanted: set[int], limit: int) -> dict[int, float]:
    weights: dict[int, float] = defaultdict(float)
    for value in wanted:
        having = [document for document, own in stored.items() if value in own]
        for document in having if len(having) <= limit else []:
            weights[document] += len(having) ** -0.5
    return weights


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(HASHES, min_size=1, max_size=8), HASHES, st.integers(1, 8))
def test_a_look_up_finds_what_comparing_with_every_document_finds(
    stored: list[list[int]], wanted: list[int], limit: int
) -> None:
    Document.objects.all().delete()
    Source.objects.all().delete()
    keys = create_documents(len(stored))
    for key, own in zip(keys, stored, strict=True):
        save(key, own)
    shared = look_up(connection, np.array(wanted, dtype=np.uint64), limit)
    expected = naive_look_up(dict(zip(keys, map(set, stored), strict=True)), set(wanted), limit)
    assert shared.documents.tolist() == sorted(expected)
    assert shared.weights.tolist() == pytest.approx([expected[key] for key in sorted(expected)])


@pytest.mark.django_db
def test_a_hash_in_too_many_documents_is_dropped_and_a_repeated_one_counts_once() -> None:
    keys = create_documents(5)
    for key in keys:
        save(key, [7])
    save(keys[0], [7, 2**64 - 1, 2**64 - 1, 2**64 - 1, 2**64 - 1])
    shared = look_up(connection, np.array([7, 2**64 - 1], dtype=np.uint64), max_documents=4)
    assert (shared.documents.tolist(), shared.weights.tolist()) == ([keys[0]], [1.0])


@pytest.mark.django_db
def test_a_look_up_reads_the_index_of_hashes_alone_and_not_the_table() -> None:
    keys = create_documents(200)
    random = np.random.default_rng(1)
    for key in keys:
        save(key, random.integers(0, 2**63, 200).tolist())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_fingerprint")
        values = {"hashes": list(range(100)), "limit": 501, "most": 500}
        cursor.execute(f"EXPLAIN {LOOK_UP}", values)  # type: ignore[arg-type]
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Index Only Scan using submissions_fingerprint_hash" in plan
    assert "Seq Scan" not in plan
    assert "Sort" not in plan
