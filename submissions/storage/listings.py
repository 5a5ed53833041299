"""The listed entries of an upload, as grouping takes them, and the stored texts of sources."""

from __future__ import annotations

from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING

from fingerprint.engine import decode, front_end
from submissions.intake.archives.formats import archive_stem
from submissions.intake.archives.listed_upload import ListedRow, ListedUpload
from submissions.intake.layouts.listing import ALL_METADATA_BYTES
from submissions.intake.layouts.registry import metadata_limit
from submissions.models import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.engine import Decoded
    from submissions.models import Batch, Document, ListedEntry, SubmissionFile


def listed_upload(batch: Batch, listed: Sequence[ListedEntry]) -> ListedUpload:
    """Return the entries of a batch; only metadata files have their bytes."""
    rows = [
        ListedRow(row.name, row.size, row.reason, row.modified, bytes(row.digest or b""), row.left_out)
        for row in listed
    ]
    return ListedUpload(
        rows, _metadata(listed), _upload_name(batch), batch.grouping_choices, batch.assignment.file_patterns
    )


def _metadata(listed: Sequence[ListedEntry]) -> dict[str, bytes]:
    """Return the bytes of the files that layouts read, by path, as many as are read of an upload."""
    fitting = [row for row in listed if row.digest and 0 < row.size <= metadata_limit(row.name)]
    totals = accumulate(row.size for row in fitting)
    read = [row for row, total in zip(fitting, totals, strict=True) if total <= ALL_METADATA_BYTES]
    keys = {row.source_id for row in read} - {None}
    sources = {source.pk: bytes(source.data) for source in Source.objects.filter(pk__in=keys)}
    return {row.name: sources[row.source_id] for row in read if row.source_id in sources}


def modified(row: ListedEntry) -> datetime | None:
    """Return when a file was last modified; naive if local time of its uploader."""
    return datetime.fromisoformat(row.modified) if row.modified else None


def _upload_name(batch: Batch) -> str:
    """Return the name of a single upload without its suffix; empty for several."""
    names = list(batch.uploads.values_list("name", flat=True))
    return archive_stem(names[0]) if len(names) == 1 else ""


def file_text(file: SubmissionFile) -> str:
    return decode_file(file).text


def decode_file(file: SubmissionFile) -> Decoded:
    """Return the text of a file and the encoding of its bytes."""
    decoded = decode(bytes(file.source.data))
    return decoded._replace(text=front_end(file.document.language).text(decoded.text))


def document_text(document: Document) -> str:
    """Return the text of a document that was loaded with its source."""
    return front_end(document.language).text(decode(bytes(document.source.data)).text)
