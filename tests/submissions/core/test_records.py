"""Records: stored with a version, read back equal, and refused when this release cannot read them."""

import json
from typing import Any

import pytest
from django.core.serializers import deserialize, serialize
from django.db import connection
from pydantic import ValidationError

from submissions.core.models import BestMatch, DuplicateRecord, Findings
from submissions.models import Assignment, Report

FINDINGS = Findings(
    best=[
        BestMatch(submission=1, match=2, similarity=0.5),
        BestMatch(submission=3, match=None, similarity=0),
    ],
    scored=3,
    listed=1,
)
DUPLICATES = [DuplicateRecord(sameness="identical", submissions=[1, 2])]


@pytest.fixture
def report(assignment: Assignment) -> Report:
    return Report.objects.create(assignment=assignment, findings=FINDINGS, duplicates=DUPLICATES)


def stored(report: Report, field: str) -> dict[str, Any]:
    """Return the JSON of a field as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {field} FROM submissions_report WHERE id = %s", [report.pk])
        fields: dict[str, Any] = json.loads(cursor.fetchone()[0])
    return fields


def test_a_record_is_stored_with_its_version_and_read_back_equal(report: Report) -> None:
    report.refresh_from_db()
    assert (report.findings, report.duplicates) == (FINDINGS, DUPLICATES)
    assert stored(report, "findings")["version"] == stored(report, "duplicates")["version"] == 1


def test_records_survive_dumpdata_and_loaddata(report: Report) -> None:
    dump = serialize("json", [report])
    Report.objects.all().delete()
    for restored in deserialize("json", dump):
        restored.save()
    report.refresh_from_db()
    assert (report.findings, report.duplicates) == (FINDINGS, DUPLICATES)


@pytest.mark.parametrize("version", [None, 0, 2])
def test_a_record_of_another_version_is_refused_by_name(version: int | None) -> None:
    with pytest.raises(ValueError, match=f"BestMatch of version {version}; this release reads 1"):
        BestMatch.from_json({"version": version, "submission": 1, "match": 2, "similarity": 0.5})


def test_a_record_with_an_unknown_or_missing_field_is_refused() -> None:
    row = {"version": 1, "submission": 1, "match": 2, "similarity": 0.5}
    assert BestMatch.from_json(row) == BestMatch(submission=1, match=2, similarity=0.5)
    for fields in ({**row, "extra": 1}, {key: row[key] for key in ("version", "submission", "match")}):
        with pytest.raises(ValidationError):
            BestMatch.from_json(fields)
