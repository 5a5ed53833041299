"""Classes as Dolos takes them: files of any names, and a list, info.csv, with a row for each of them.

dodona-edu/dolos, its page on metadata: `filename`, below the folder of the list, and at will `label`,
`full_name`, `created_at` (`2019-07-23 17:12:33 +0200`) and `ignored`, which is true for a template.
"""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import parse_time
from submissions.intake.layouts.places import CLASS_BYTES, Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

LIST = "info.csv"
NAMED = re.compile(r"(?:.*/)?info\.csv")
# A class has a row for nearly every file; what lies beside them is no submission.
MIN_NAMED = 0.9


def _rows(listing: Listing) -> dict[str, dict[str, str]]:
    """Return the rows of the one list by the paths of their files, for files that are there."""
    lists = listing.file_names.get(LIST, [])
    folder = lists[0].removesuffix(LIST) if len(lists) == 1 else ""
    try:
        rows = list(csv.DictReader(StringIO(listing.read(lists[0])))) if len(lists) == 1 else []
    except csv.Error:
        return {}
    named = {f"{folder}{(row.get('filename') or '').removeprefix('./')}": row for row in rows}
    return {path: row for path, row in named.items() if path in listing.files}


def _score(listing: Listing) -> float:
    rows, files = _rows(listing), len(listing.paths) - 1
    return len(rows) / files if files > 0 and len(rows) >= MIN_NAMED * files else 0.0


def _place(listing: Listing) -> dict[str, Place]:
    rows = _rows(listing)
    return {path: _place_one(path, rows.get(path)) for path in listing.paths}


def _place_one(path: str, row: dict[str, str] | None) -> Place:
    if row is None:
        return Ignored(reasons.DOLOS_LIST if NAMED.fullmatch(path) else reasons.DOLOS_UNLISTED)
    if (row.get("ignored") or "").strip().casefold() == "true":
        return Ignored(reasons.DOLOS_IGNORED)
    name = " ".join((row.get("full_name") or "").split())
    file, submitted = row["filename"].removeprefix("./"), parse_time(row.get("created_at") or "")
    student = Student(name, file) if name else Student(file)
    return Placement((student,), file.rpartition("/")[2], attempt=submitted, submitted=submitted)


DOLOS = Layout("dolos", "a class for Dolos", _score, _place, reads=NAMED, read_bytes=CLASS_BYTES)
