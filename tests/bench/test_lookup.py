from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from django.conf import settings

from bench import lookup

if TYPE_CHECKING:
    import pytest


def test_a_document_is_made_up_the_same_alone_and_among_others() -> None:
    together = lookup.made_up_hashes(lookup.CHUNK, lookup.CHUNK, 30)
    assert lookup.made_up_document(lookup.CHUNK + 7, 30).tolist() == together[7].tolist()


def test_documents_of_one_task_share_more_than_others() -> None:
    hashes = lookup.made_up_hashes(0, 2 * lookup.FAMILY, 100)
    first, same, other = (set(hashes[number].tolist()) for number in (0, 1, lookup.FAMILY))
    assert len(first & same) > len(first & other)
    assert len(first) > 60


def test_the_benchmark_finds_every_copy_and_reports_sizes_and_times(
    db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lookup, "PROBES", 20)
    arguments = ["--json", "--sizes", "1000", "2000", "--fingerprints", "30", "--dsn", settings.DATABASE_URL]
    monkeypatch.setattr(sys, "argv", ["lookup", *arguments])
    lookup.main()
    rows = json.loads(capsys.readouterr().out)
    assert [row["documents"] for row in rows] == [1000, 2000]
    assert [row["fingerprints"] for row in rows] == [30_000, 60_000]
    for row in rows:
        assert row["copies_found"] == "2 of 2"
        assert 40 < row["bytes_a_fingerprint"] < 200
        assert 0 < row["look_up_median_ms"] <= row["look_up_p95_ms"] <= row["look_up_most_ms"]
