"""Sakai: `Lab 1/Popescu, Bruno(bpopescu)/Submission attachment(s)/Main.java`, timestamp.txt, grades.csv.

sakaiproject/sakai, AssignmentServiceImpl.java, zipSubmissions: sort name and login, several members
separated by `; `; in each folder timestamp.txt, an online text, attachments, and the instructor's
comments and feedback. Without folders `_` stands for `/`. Names of folders and of the notes are
translated; the files' are not. Times are UTC.
"""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, natural_name, parse_digits, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

_ONE = r"[^/;(),]*,[^/;()]*\([^/()]+\)"
NAME = re.compile(rf"(?P<who>{_ONE}(?:;{_ONE})*)(?:/|_(?=\S))")
MEMBER = re.compile(r"(?<![^;()])(?P<name>[^;()]*)\((?P<login>[^()]+)\)")
RECORDS = ("timestamp.txt", "comments.txt", "feedbackText.html")
GRADES = ("grades.csv", "grades.xls", "grades.xlsx")
ATTACHMENT = re.compile(r"Submission attachment\(s\)[/_]|[^/]+/")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find, GRADES)


def _place(listing: Listing) -> dict[str, Place]:
    times = {}
    for path in listing.file_names.get("timestamp.txt", []):
        if matched := _find(path):
            time = parse_digits(listing.read(path))
            times[matched.unit] = time and time.replace(tzinfo=UTC)

    def place_one(matched: MatchedName) -> Place:
        students = tuple(
            Student(natural_name(member["name"]), member["login"])
            for member in MEMBER.finditer(matched.match["who"])
        )
        if matched.rest in RECORDS or matched.rest.startswith("Feedback Attachment(s)"):
            return Ignored(reasons.SAKAI_RECORD)
        if matched.rest.endswith("_submissionText.html"):
            return Placement(students, "submissionText.html", submitted=times.get(matched.unit))
        folder = ATTACHMENT.match(matched.rest)
        inner = matched.rest[folder.end() :] if folder else matched.rest
        return Placement(students, inner, submitted=times.get(matched.unit))

    places = place_each(listing.paths, _find, place_one, "a Sakai export")
    grades = [path for name in GRADES for path in listing.file_names.get(name, []) if not _find(path)]
    return places | {path: Ignored(reasons.SAKAI_GRADES) for path in grades}


SAKAI = Layout("sakai", "a Sakai export", _score, _place, reads=re.compile(r".*timestamp\.txt"))
