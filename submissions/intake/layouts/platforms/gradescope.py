"""Gradescope: `submission_77000/Main.java`, with names, ids and times in submission_metadata.yml.

ucbds-infra/otter-grader, otter/metadata.py, and other readers of it: a record for each folder, of which
`:submitters:` has `:name:`, `:sid:` and `:email:` of each, and `:created_at:` the time. The rest is
mostly results of tests, many megabytes of them. So only the lines of these fields are read, without a
YAML parser, which would also follow aliases and any depth.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, parse_scalar, parse_time, place_each, share
from submissions.intake.layouts.places import CLASS_BYTES, Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

METADATA = "submission_metadata.yml"
NAME = re.compile(r"(?P<key>submission_\d+)(?P<suffix>\.\w+)?(?=/|\Z)")
LINE = re.compile(r"(?P<indent> *)(?P<item>- +)?[\"']?:?(?P<field>\w+)[\"']?:(?: ++(?P<value>.*))?\Z")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return (1.0 if METADATA in listing.file_names else 0.6) * share(listing, _find, [METADATA])


def _records(text: str) -> dict[str, list[dict[str, str]]]:
    """Return the submitters of each submission; the first has the time, too. Other lines are passed over."""
    records: dict[str, list[dict[str, str]]] = {}
    submitters: list[dict[str, str]] = []
    section = ""
    for line in text.splitlines():
        if not (match := LINE.match(line)):
            continue
        depth, field = len(match["indent"]), match["field"]
        if depth == 0 and not match["item"]:
            submitters = records.setdefault(field, [])
        elif depth <= 2 and not match["item"]:  # noqa: PLR2004 - the depth of a record's fields
            section = field
            if field == "created_at":
                submitters.append({"time": parse_scalar(match["value"] or "")})
        elif section == "submitters":
            if match["item"]:
                submitters.append({})
            if submitters:
                submitters[-1][field] = parse_scalar(match["value"] or "")
    return records


def _place(listing: Listing) -> dict[str, Place]:
    records: dict[str, list[dict[str, str]]] = {}
    for path in listing.file_names.get(METADATA, []):
        records |= _records(listing.read(path))

    def place_one(matched: MatchedName) -> Place:
        key, rows = matched.match["key"], records.get(matched.match["key"], [])
        students = tuple(
            Student(row["name"], row.get("sid") or row.get("email", "")) for row in rows if row.get("name")
        )
        time = next((parse_time(row["time"]) for row in rows if "time" in row), None)
        file = matched.unit.rpartition("/")[2] if matched.match["suffix"] and not matched.rest else ""
        return Placement(students or (Student(key, key),), matched.path(file), submitted=time)

    note = reasons.GRADESCOPE_LIST if any(records.values()) else reasons.GRADESCOPE_UNREAD_LIST
    places = place_each(listing.paths, _find, place_one, "a Gradescope export")
    return places | {path: Ignored(note) for path in listing.file_names.get(METADATA, [])}


GRADESCOPE = Layout(
    "gradescope",
    "a Gradescope export",
    _score,
    _place,
    reads=re.compile(r"(?:.*/)?" + re.escape(METADATA)),
    read_bytes=CLASS_BYTES,
)
