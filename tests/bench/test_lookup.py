import json

import pytest
from django.db import connection

from bench import lookup
from submissions.models import Document


def test_a_document_is_made_up_the_same_alone_and_among_others() -> None:
    together = lookup.made_up_hashes(lookup.CHUNK, lookup.CHUNK, 30)
    assert lookup.made_up_document(lookup.CHUNK + 7, 30).tolist() == together[7].tolist()


def test_documents_of_one_task_share_more_than_others() -> None:
    hashes = lookup.made_up_hashes(0, 2 * lookup.FAMILY, 100)
    first, same, other = (set(hashes[number].tolist()) for number in (0, 1, lookup.FAMILY))
    assert len(first & same) > len(first & other)
    assert len(first) > 60


@pytest.mark.long
def test_the_benchmark_finds_every_copy_and_reports_sizes_and_times(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "PROBES", 20)
    with connection.cursor() as cursor:
        # Rows that earlier tests deleted take room in the tables.
        cursor.execute(f"TRUNCATE {', '.join(lookup.TABLES)} CASCADE")
    rows = list(lookup.steps([1000, 2000], 30))
    dropped = lookup.drop_a_third()
    figures = json.loads(lookup.report(rows, dropped, as_json=True))
    assert figures["drop_a_third_seconds"] == dropped > 0
    assert [row["documents"] for row in figures["steps"]] == [1000, 2000]
    assert [row["fingerprints"] for row in figures["steps"]] == [30_000, 60_000]
    for row in figures["steps"]:
        assert row["copies_found"] == "2 of 2"
        assert 20 < row["bytes_a_fingerprint"] < 60
        assert 0 < row["look_up_median_ms"] <= row["look_up_p95_ms"] <= row["look_up_most_ms"]
    assert Document.objects.count() == 1334
    assert " 60000 | " in lookup.report(rows, dropped, as_json=False)
