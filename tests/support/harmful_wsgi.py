"""The web application whose child for grouping does the harm that names of an upload ask for."""

from functools import partial

from submissions.intake.sandbox.groupings import GroupingReader
from submissions.uploads import read as sandboxed

sandboxed.GroupingReader = partial(GroupingReader, jobs="tests.support.harmful_groupings")  # type: ignore[assignment, attr-defined]

from moss.wsgi import application  # noqa: E402 - its views import what is replaced

__all__ = ["application"]
