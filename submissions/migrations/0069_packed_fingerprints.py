"""Pack the fingerprints of documents: a row for each took 90 bytes, twice what is needed to look them up."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import django.db.models.deletion
import numpy as np
from django.db import connection, migrations, models

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

# Documents that are read at once, and about the number of postings of a run.
DOCUMENTS, RUN, BLOCK = 1_000, 1_000_000, 64
ROW = np.dtype([("hash", ">i8"), ("position", ">i4")])
POSTING = np.dtype([("hash", "<i8"), ("document", "<u4")])
ROWS = """
    SELECT document_id, string_agg(int8send(hash) || int4send(position), '' ORDER BY position)
    FROM submissions_fingerprint WHERE document_id = ANY(%s) GROUP BY document_id
"""


def packed(rows: npt.NDArray[np.void]) -> bytes:
    """Return fingerprints in the form of `submissions.storage.fingerprints` at the time."""
    gaps = np.diff(rows["position"].astype(np.int64), prepend=0)
    width = next(width for width in (1, 2, 4) if gaps.max(initial=0) < 256**width)
    columns = rows["hash"].astype("<i8"), gaps.astype(f"<u{width}")
    return struct.pack("<IB", len(rows), width) + b"".join(column.tobytes() for column in columns)


def pack_documents(documents: Any, keys: list[int]) -> npt.NDArray[np.void]:
    """Store the packed fingerprints of documents; return their postings."""
    with connection.cursor() as cursor:
        cursor.execute(ROWS, [keys])
        stored = {pk: np.frombuffer(bytes(data), ROW) for pk, data in cursor.fetchall()}
    none = np.empty(0, ROW)
    rows = [documents.model(pk=pk, fingerprints=packed(stored.get(pk, none))) for pk in keys]
    documents.bulk_update(rows, ["fingerprints"], batch_size=DOCUMENTS)
    postings = [np.empty(0, POSTING)]
    for pk, own in stored.items():
        postings.append(np.empty(len(own), POSTING))
        postings[-1]["hash"], postings[-1]["document"] = own["hash"], pk
    return np.unique(np.concatenate(postings))


def blocks(postings: npt.NDArray[np.void]) -> Iterator[dict[str, Any]]:
    """Yield the columns of the blocks of sorted postings, as `submissions.storage.posting_runs` cuts them."""
    hashes = postings["hash"]
    groups = np.append(0, 1 + np.flatnonzero(hashes[1:] != hashes[:-1]))
    sizes = np.diff(groups, append=len(hashes))
    regular = groups[np.searchsorted(groups, np.arange(0, len(hashes), BLOCK), side="right") - 1]
    large = sizes > BLOCK
    starts = np.unique(np.concatenate([regular, groups[large], (groups + sizes)[large]]))
    starts = starts[starts < len(hashes)]
    frequencies = np.maximum.reduceat(sizes, np.searchsorted(groups, starts))
    ends = np.append(starts[1:], len(hashes))
    for start, end, frequency in zip(starts, ends, frequencies, strict=True):
        yield {
            "first": int(hashes[start]),
            "last": int(hashes[end - 1]),
            "frequency": int(frequency),
            "packed": postings[start:end].tobytes(),
        }


def store_run(apps: Any, parts: list[npt.NDArray[np.void]]) -> None:
    postings = np.sort(np.concatenate([np.empty(0, POSTING), *parts]))
    if not len(postings):
        return
    run = apps.get_model("submissions", "PostingRun").objects.create(
        documents=np.unique(postings["document"]).astype("<i8").tobytes(), size=len(postings)
    )
    block = apps.get_model("submissions", "PostingBlock")
    block.objects.bulk_create([block(run=run, **own) for own in blocks(postings)], batch_size=1_000)


def convert(apps: Any, _schema_editor: Any) -> None:
    documents = apps.get_model("submissions", "Document").objects
    ready = list(documents.filter(state="ready").order_by("pk").values_list("pk", flat=True))
    parts: list[npt.NDArray[np.void]] = []
    for start in range(0, len(ready), DOCUMENTS):
        parts.append(pack_documents(documents, ready[start : start + DOCUMENTS]))
        if sum(map(len, parts)) >= RUN:
            store_run(apps, parts)
            parts.clear()
    store_run(apps, parts)


class Migration(migrations.Migration):
    dependencies = [("submissions", "0065_durations")]

    operations = [
        # The table itself is needed until its rows are packed.
        migrations.SeparateDatabaseAndState([], [migrations.DeleteModel("Fingerprint")]),
        migrations.AddField("document", "fingerprints", models.BinaryField(default=b"")),
        migrations.CreateModel(
            name="PostingRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("documents", models.BinaryField()),
                ("size", models.BigIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="PostingBlock",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run", "first", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first", models.BigIntegerField()),
                ("last", models.BigIntegerField()),
                ("frequency", models.IntegerField()),
                ("packed", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="submissions.postingrun",
                    ),
                ),
            ],
        ),
        migrations.RunPython(convert, elidable=True),
        migrations.RunSQL("DROP TABLE submissions_fingerprint"),
    ]
