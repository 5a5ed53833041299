"""A listed upload: what is known of its entries before they are grouped, and what grouping makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.archives.choices import Choices
from submissions.intake.archives.grouping import ListingBuilder, group_files
from submissions.intake.archives.members import UnpackedEntry
from submissions.intake.archives.owners import owners
from submissions.intake.archives.preview import Preview, SkippedEntry, preview_upload
from submissions.intake.left_out.listing import File, LeftOut, Listing as LeftOutListing
from submissions.intake.left_out.patterns import FilePatterns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from submissions.intake.archives.grouping import Grouping
    from submissions.intake.layouts.listing import Listing


class ListedRow(NamedTuple):
    """An entry: its bytes were unpacked if it has a digest, and are compared if it has no `reason` then.

    `modified` is a time of ISO 8601 or empty; `left_out` is why its content leaves it out.
    """

    name: str
    size: int
    reason: str = ""
    modified: str = ""
    digest: bytes = b""
    left_out: str = ""


@dataclass(frozen=True)
class ListedUpload:
    """The entries of an upload by row; `metadata` are the bytes of files that layouts read, by path.

    `name` is that of the upload without its suffix, or empty. `unread` has the reasons for metadata that is
    not read. `reading` is called with the path of what is read next.
    """

    rows: Sequence[ListedRow]
    metadata: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    choices: Choices = field(default_factory=Choices)
    patterns: FilePatterns = field(default_factory=FilePatterns)
    unread: Mapping[str, str] = field(default_factory=dict)
    reading: Callable[[str], None] | None = None

    def listing(self) -> Listing:
        """Return the entries as layouts see them."""
        builder = ListingBuilder(self.name, unread=dict(self.unread), reading=self.reading)
        for row in self.rows:
            if row.digest:
                modified = datetime.fromisoformat(row.modified) if row.modified else None
                data = self.metadata.get(row.name, b"")
                builder.add(UnpackedEntry(row.name, data, row.size, "", modified))
        return builder.listing()

    def left_out_listing(self) -> LeftOutListing:
        """Return the entries as the rules for what is left out see them."""
        listing = LeftOutListing(self.patterns)
        for row in self.rows:
            listing.add(row.name, File(row.size, row.digest, row.left_out) if row.digest else None)
        return listing


class GroupedUpload(NamedTuple):
    """The submissions of an upload, what of their files is left out, and the submission of each entry."""

    grouping: Grouping
    left_out: LeftOut
    owners: dict[str, str]


def group_upload(upload: ListedUpload) -> GroupedUpload:
    """Group the entries of an upload into submissions as its instructor chose."""
    listing = upload.listing()
    grouping = group_files(listing, upload.choices)
    unreadable = {row.name for row in upload.rows if row.digest and row.reason}
    used = {path: place for path, place in grouping.places.items() if path not in unreadable}
    refused = [row.name for row in upload.rows if not row.digest]
    return GroupedUpload(
        grouping,
        upload.left_out_listing().left_out(used),
        owners(listing, grouping, upload.choices, refused),
    )


def preview_listed(upload: ListedUpload) -> Preview:
    """Return who handed in what, as the upload is going to be read."""
    refused = [SkippedEntry(row.name, row.size, row.reason) for row in upload.rows if row.reason]
    return preview_upload(upload.listing(), upload.left_out_listing(), refused, upload.choices)
