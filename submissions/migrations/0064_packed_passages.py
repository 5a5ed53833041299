"""Pack the passages of pairs: as JSON they took most of the time of saving a report of large projects."""

from __future__ import annotations

import zlib
from struct import pack
from typing import Any

from django.db import migrations, models

FILES = "left_file", "right_file"
FIGURES = "left_token", "right_token", "tokens", "submissions", "common"
PAIRS_AT_ONCE = 200


def packed(passages: dict[str, Any]) -> bytes:
    """Return the deflated columns, in the form of `submissions.models.passages` at the time."""
    rows = passages["rows"] if passages else []
    count = len(rows)
    files = [row[name] for name in FILES for row in rows]
    figures = [int(row.get(name, False)) for name in FIGURES for row in rows]
    return zlib.compress(pack(f"<{2 * count}q{5 * count}i", *files, *figures), level=1)


def convert(apps: Any, _schema_editor: Any) -> None:
    pairs = apps.get_model("submissions", "Pair").objects
    stored = []
    for pair in pairs.only("passages").iterator(chunk_size=PAIRS_AT_ONCE):
        pair.packed_passages = packed(pair.passages)
        stored.append(pair)
        if len(stored) == PAIRS_AT_ONCE:
            pairs.bulk_update(stored, ["packed_passages"])
            stored.clear()
    pairs.bulk_update(stored, ["packed_passages"])


class Migration(migrations.Migration):
    dependencies = [("submissions", "0062_archive")]

    operations = [
        migrations.AddField("pair", "packed_passages", models.BinaryField(default=b"")),
        migrations.RunPython(convert, elidable=True),
        migrations.RemoveField("pair", "passages"),
        migrations.RenameField("pair", "packed_passages", "passages"),
        migrations.AlterField("pair", "passages", models.BinaryField()),
    ]
