"""Positional JSON lists become records with a version (see submissions.models.records)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import migrations, models

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 1
PASSAGE = ("left_file", "left_token", "right_file", "right_token", "tokens", "submissions")
BEST = ("submission", "match", "similarity")
COMMON = ("document", "first", "after", "submissions")
MOVED = ("left", "right", "similarity", "similarity_before", "share", "share_before")


def named(fields: tuple[str, ...], rows: Iterable[list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(fields, row, strict=True)) for row in rows]


def findings_record(stored: dict[str, Any]) -> dict[str, Any] | None:
    if "best" not in stored:
        return None
    effect = stored.get("effect")
    if effect is not None:
        above, above_before = effect.pop("standing", (None, None))
        moved = named(MOVED, effect.pop("moved", []))
        effect = {**effect, "above": above, "above_before": above_before, "moved": moved}
    return {
        "version": VERSION,
        "best": named(BEST, stored["best"]),
        "scored": stored.get("scored", 0),
        "listed": stored.get("listed", 0),
        "identical": stored.get("identical", []),
        "common": named(COMMON, stored.get("common", [])),
        "effect": effect,
    }


def convert(apps: Any, _schema_editor: Any) -> None:
    reports = apps.get_model("submissions", "Report").objects
    for report in reports.all():
        report.findings = findings_record(report.findings)
        report.duplicates = {"version": VERSION, "rows": report.duplicates}
        report.save(update_fields=["findings", "duplicates"])
    pairs = apps.get_model("submissions", "Pair").objects
    for pair in pairs.only("passages").iterator(chunk_size=500):
        pair.passages = {"version": VERSION, "rows": named(PASSAGE, pair.passages)}
        pair.save(update_fields=["passages"])


class Migration(migrations.Migration):
    dependencies = [("submissions", "0004_clusters_of_a_line")]

    operations = [
        migrations.RenameField("report", "same", "duplicates"),
        migrations.AlterField("report", "findings", models.JSONField(null=True)),
        migrations.RunPython(convert, elidable=True),
    ]
