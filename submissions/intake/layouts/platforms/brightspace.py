"""Brightspace: `39786-640693 - Bruno Popescu - Oct 10, 2025 1022 AM/Main.java`, or the file as a last part.

OfficeCoffee/GradingFileProject, ToDo.md (one folder for all) and the test of the zip reader of cqc_cpcc
(folders): two numbers, the name, the time, and index.html beside them. Of the two numbers one is the same
for a whole class, which of them differs between reports; the other is the student's. Some installations
put the number of the student before the name as a part of its own.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, natural_name, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(
    r"(?P<first>\d+)-(?P<second>\d+) - (?:(?P<number>[A-Z]?\d{5,}) - ?)?(?P<name>[^/]+?) ?- "
    r"(?P<time>[^/-]*?\d{4},? \d{1,4} ?[AP]M)(?: - (?P<file>[^/]+))?(?=/|\Z)"
)
RECORDS = ("index.html",)
TIME_FORMATS = ("%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p", "%d %b, %Y %I%M %p", "%d %B, %Y %I%M %p")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find, RECORDS)


def _parse_time(text: str) -> datetime | None:
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 - Brightspace names no time zone
        except ValueError:
            continue
    return None


def _place(listing: Listing) -> dict[str, Place]:
    matched = [hit for path in listing.paths if (hit := _find(path))]
    firsts, seconds = ({hit.match[group] for hit in matched} for group in ("first", "second"))
    number_group = "first" if len(firsts) >= len(seconds) else "second"

    def place_one(hit: MatchedName) -> Place:
        student = Student(natural_name(hit.match["name"]), hit.match["number"] or hit.match[number_group])
        time = _parse_time(hit.match["time"])
        return Placement((student,), hit.path(hit.match["file"] or ""), time, time)

    places = place_each(listing.paths, _find, place_one, "a Brightspace export")
    index = [path for path in listing.file_names.get(RECORDS[0], []) if _find(path) is None]
    return places | {path: Ignored(reasons.BRIGHTSPACE_INDEX) for path in index}


BRIGHTSPACE = Layout("brightspace", "a Brightspace export", _score, _place)
