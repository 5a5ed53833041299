"""Django's makemessages, so that two runs write the same files and every new text is left empty.

Texts are sorted and have no line numbers; there is no date in the header, and nothing is guessed from similar texts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

IGNORED = ["artifacts", "bench", "build", "sample", "tests"]
# Rows of tables without Django, whose second argument people read: `Layout("canvas", "a Canvas export")`.
ROWS = ("Layout", "by_name", "Rule")
DATE = re.compile(r'^"POT-Creation-Date: .*\n', re.MULTILINE)


class Command(makemessages.Command):
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]  # noqa: RUF012 - as Django
    xgettext_options = [*makemessages.Command.xgettext_options, *(f"--keyword={row}:2" for row in ROWS)]  # noqa: RUF012
    msgattrib_options = [*makemessages.Command.msgattrib_options, "--sort-output"]  # noqa: RUF012 - as above

    def handle(self, *args: Any, **options: Any) -> None:
        options |= {"no_location": True, "no_wrap": True, "no_obsolete": True}
        options["ignore_patterns"] = [*options["ignore_patterns"], *IGNORED]
        super().handle(*args, **options)

    def write_po_file(self, potfile: str, locale: str) -> None:
        super().write_po_file(potfile, locale)
        path = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        path.write_text(DATE.sub("", path.read_text()))
