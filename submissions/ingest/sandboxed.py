"""Children of this process that read and group what students send, with the limits of the settings."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.groupings import GroupingReader


@cache
def document_reader() -> DocumentReader:
    """Return the reader of this process; it starts its child when it is first used."""
    return DocumentReader(settings.READER_MEMORY)


@cache
def grouping_reader() -> GroupingReader:
    """Return what groups uploads for this process; it starts its child when it is first used."""
    return GroupingReader(settings.READER_MEMORY)
