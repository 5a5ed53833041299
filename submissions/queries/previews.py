"""Preview of an upload that waits for its uploader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.comparison.natural_order import natural_key
from submissions.ingest.sandboxed import grouping_reader
from submissions.storage.listings import listed_upload

if TYPE_CHECKING:
    from submissions.intake.archives.preview import Preview
    from submissions.intake.rosters import Roster
    from submissions.models import Batch


def preview_of(batch: Batch) -> Preview:
    """Return a listed batch as it is going to be read; nothing of it is read for that.

    It is grouped in a child: names and metadata are what students wrote, and this is a web process.

    Raises
    ------
    BadArchive
        When a limit is reached; the message is for the uploader.
    """
    listed = list(batch.listed_entries.all())
    preview = grouping_reader().preview(listed_upload(batch, listed))
    return preview.with_languages({row.name: row.language for row in listed}, batch.assignment.language)


def absent_students(roster: Roster, preview: Preview) -> list[str]:
    """Return the names of the students of a roster of whom a previewed upload has nothing, in their order."""
    students = {student for one in preview.submissions for student in one.grouped.students}
    return sorted((one.display_name for one in roster.absent(students)), key=natural_key)
