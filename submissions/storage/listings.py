"""The listed entries of an upload, as grouping and leaving out take them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from submissions.archives.formats import archive_stem
from submissions.archives.grouping import ListingBuilder
from submissions.archives.layouts.listing import METADATA_BYTES
from submissions.archives.layouts.registry import is_metadata
from submissions.archives.left_out.listing import File, Listing as LeftOutListing
from submissions.archives.unpack import UnpackedEntry
from submissions.models import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.archives.layouts.listing import Listing
    from submissions.models import Batch, ListedEntry


def layout_listing(batch: Batch, listed: Sequence[ListedEntry]) -> Listing:
    """Return the entries of a batch as layouts see them; only metadata files have their bytes."""
    builder = ListingBuilder(_upload_name(batch))
    read = [row for row in listed if row.digest]
    wanted = {row.source_id for row in read if is_metadata(row.name) and row.size <= METADATA_BYTES}
    sources = {source.pk: bytes(source.data) for source in Source.objects.filter(pk__in=wanted - {None})}
    for row in read:
        data = sources.get(row.source_id or 0, b"")
        builder.add(UnpackedEntry(row.name, data, row.size, "", modified(row)))
    return builder.listing()


def left_out_listing(batch: Batch, listed: Sequence[ListedEntry]) -> LeftOutListing:
    """Return the entries of a batch as the rules for what is left out see them."""
    listing = LeftOutListing(batch.assignment.file_patterns)
    for row in listed:
        listing.add(row.name, File(row.size, bytes(row.digest), row.left_out) if row.digest else None)
    return listing


def modified(row: ListedEntry) -> datetime | None:
    """Return when a file was last modified; naive if local time of its uploader."""
    return datetime.fromisoformat(row.modified) if row.modified else None


def _upload_name(batch: Batch) -> str:
    """Return the name of a single upload without its suffix; empty for several."""
    names = list(batch.uploads.values_list("name", flat=True))
    return archive_stem(names[0]) if len(names) == 1 else ""
