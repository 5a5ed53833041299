"""A package that adds a language and a layout: files `ada@2026.tide`, whose programs look like those of Python."""

import re

from submissions.intake.layouts.fields import by_name

TIDE = {
    "name": "tide", "title": "Tide", "lexer": "python", "file_patterns": "*.tide", "by_line": True,
    "statements": "import from",
}  # fmt: skip
HARBOUR = by_name(
    "harbour",
    "a download of the harbour",
    student_names=re.compile(r"(?P<name>[a-z]+)@2026_(?P<file>[^/]+)(?=/|\Z)"),
)
