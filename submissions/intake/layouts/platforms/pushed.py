"""Submissions that this service fetched: `pushed-7/Main.java`, with names, ids and times in a record.

It writes such uploads itself, of Git repositories; older ones are of what learning platforms pushed.
The record, pushed-submissions.json, has a field for each folder: an object with `name`, `identifier` and
`submitted`, a time of ISO 8601. Of several folders with the same identifier, the last in time counts.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, finder, parse_json, parse_time, place_each, share
from submissions.intake.layouts.places import CLASS_BYTES, Ignored, Layout, Listing, Place, Placement, Student

METADATA = "pushed-submissions.json"
NAME = re.compile(r"(?P<key>pushed-\d+)(?=/)")
_find = finder(NAME)


def _score(listing: Listing) -> float:
    return share(listing, _find, [METADATA]) if METADATA in listing.file_names else 0.0


def _place(listing: Listing) -> dict[str, Place]:
    records: dict[str, Any] = {}
    # A student's own file of this name is in a folder of the list, and says nothing.
    lists = [path for path in listing.file_names.get(METADATA, []) if _find(path) is None]
    for path in lists:
        content = parse_json(listing.read(path))
        records |= content if isinstance(content, dict) else {}

    def place_one(matched: MatchedName) -> Place:
        student, submitted = _read(records.get(matched.match["key"]))
        if not student.name:
            student = Student(matched.match["key"])
        return Placement((student,), matched.path(), attempt=submitted, submitted=submitted)

    places = place_each(listing.paths, _find, place_one, "an upload of pushed submissions")
    note = reasons.PUSHED_LIST
    return places | {path: Ignored(note) for path in lists}


def _read(record: object) -> tuple[Student, datetime | None]:
    """Return the student and the time of a record; without a name if it has none."""
    fields = record if isinstance(record, dict) else {}
    name, identifier, submitted = (
        value if isinstance(value, str) else ""
        for value in (fields.get("name"), fields.get("identifier"), fields.get("submitted"))
    )
    return Student(name.strip(), identifier.strip()), parse_time(submitted)


PUSHED = Layout(
    "pushed", "submissions that this service fetched", _score, _place,
    reads=re.compile(r"(?:.*/)?" + re.escape(METADATA)), read_bytes=CLASS_BYTES,
)  # fmt: skip
