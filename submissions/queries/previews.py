"""Preview of an upload that waits for its uploader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.archives.preview import SkippedEntry, preview_upload
from submissions.natural_order import natural_key
from submissions.storage.listings import layout_listing, left_out_listing

if TYPE_CHECKING:
    from submissions.archives.preview import Preview
    from submissions.models import Batch
    from submissions.rosters import Roster


def preview(batch: Batch) -> Preview:
    """Return a listed batch as it is going to be read; nothing of it is read for that."""
    listed = list(batch.listed_entries.all())
    refused = [SkippedEntry(row.name, row.size, row.reason) for row in listed if row.reason]
    listing = layout_listing(batch, listed)
    return preview_upload(listing, left_out_listing(batch, listed), refused, batch.grouping_choices)


def absent_students(roster: Roster, preview: Preview) -> list[str]:
    """Return the names of the students of a roster of whom a previewed upload has nothing, in their order."""
    students = [student for one in preview.submissions for student in one.grouped.students]
    enrolled = {roster.find(student) for student in students}
    return sorted((one.display_name for one in roster.students if one not in enrolled), key=natural_key)
