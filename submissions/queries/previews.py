"""Preview of an upload that waits for its uploader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, Max

from submissions.comparison.orders import natural_key
from submissions.ingest.later import LATER
from submissions.ingest.sandboxed import grouping_reader
from submissions.storage.listings import listed_upload

if TYPE_CHECKING:
    from collections.abc import Callable

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
    NotYet
        While the child groups it; ask again.
    """
    preview: Preview = LATER.get(("preview", batch.pk), _version(batch), lambda: _grouping(batch))
    return preview


def _version(batch: Batch) -> object:
    """Return all that a preview depends on; another unpacking and an erasure change the entries."""
    entries = batch.listed_entries.aggregate(Count("pk"), Max("pk"))
    assignment = batch.assignment
    return batch.since, entries, batch.grouping_choices, assignment.file_patterns, assignment.chosen_languages


def _grouping(batch: Batch) -> Callable[[], Preview]:
    """Return a function that groups a batch; it needs no database."""
    listed = list(batch.listed_entries.all())
    upload, chosen = listed_upload(batch, listed), batch.assignment.chosen_languages
    languages = {row.name: row.language for row in listed}
    reader = grouping_reader()
    return lambda: reader.preview(upload).with_languages(languages, chosen)


def absent_students(roster: Roster, preview: Preview) -> list[str]:
    """Return the names of the students of a roster of whom a previewed upload has nothing, in their order."""
    students = {student for one in preview.submissions for student in one.grouped.students}
    return sorted((one.display_name for one in roster.absent(students)), key=natural_key)
