"""Moodle's Virtual Programming Lab: `Popescu Bruno 1234 bpopescu/2026-03-01-14-05-09/main.c`.

jcrodriguez-dis/moodle-mod_vpl, views/downloadallsubmissions.php: last name, first name, number, login;
one folder an attempt, and beside it, with the suffix `.ceg`, what compiling, running and grading it
printed; Report.txt. A team is `Name Group 77`, with its number and a login that may be missing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import reasons
from submissions.intake.layouts.fields import parse_digits
from submissions.intake.layouts.matching import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

NAME = re.compile(
    r"(?P<name>[^/]+?) (?P<id>\d+)(?: (?P<login>[^/ ]*))?/(?P<time>\d{4}(?:-\d\d){5})(?P<record>\.ceg)?(?=/)"
)
RECORDS = ("Report.txt", "Errors.txt")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find, RECORDS)


def _place(listing: Listing) -> dict[str, Place]:
    places = place_each(listing.paths, _find, _place_one, "a VPL export")
    reports = [path for name in RECORDS for path in listing.file_names.get(name, [])]
    return places | {path: Ignored(reasons.VPL_REPORT) for path in reports if _find(path) is None}


def _place_one(matched: MatchedName) -> Place:
    name, time = matched.match["name"], parse_digits(matched.match["time"])
    if matched.match["record"]:
        return Ignored(reasons.VPL_OUTPUT)
    student = Student(name, matched.match["login"] or matched.match["id"])
    return Placement((student,), matched.path(), time, time)


MOODLE_VPL = Layout("moodle-vpl", "a Moodle VPL export", _score, _place)
