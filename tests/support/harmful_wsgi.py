"""The web application whose child for grouping does the harm that names of an upload ask for."""

from functools import partial

from moss.wsgi import application
from submissions.intake.sandbox.groupings import GroupingReader
from submissions.uploads import read as sandboxed

sandboxed.GroupingReader = partial(GroupingReader, jobs="tests.support.harmful_groupings")  # type: ignore[assignment, attr-defined]

__all__ = ["application"]
