"""nbgrader: `submitted/bpopescu/ps1/p1.ipynb`, `inbound/bpopescu+ps1+2026-03-01 14:05:09.12 UTC+AbC4/...`.

jupyter/nbgrader, nbgrader/exchange/default/submit.py and docs/source/exchange/exchange_api.rst: student
and assignment, as folders or in one name with the time and a random text; with timestamp.txt and a secret
in each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, parse_time, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

INBOUND = re.compile(
    r"(?P<student>[^/]+)\+(?P<assignment>[^/+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d[:_.-]\d\d[:_.-]\d\d[^/+]*)"
    r"(?:\+[\w=-]+)?(?=/)"
)
SUBMITTED = re.compile(r"submitted/(?P<student>[^/]+)/(?P<assignment>[^/]+)(?=/)")
RECORDS = ("timestamp.txt", "submission_secret.txt")


def _find(path: str) -> MatchedName | None:
    return find(INBOUND, path) or find(SUBMITTED, path)


def _score(listing: Listing) -> float:
    notebooks = any(path.endswith(".ipynb") for path in listing.sample)
    return (1.0 if notebooks else 0.6) * share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    assignments = {matched.match["assignment"] for path in listing.paths if (matched := _find(path))}
    times = {}
    for path in listing.file_names.get("timestamp.txt", []):
        if matched := _find(path):
            times[matched.unit] = parse_time(listing.read(path))

    def place_one(matched: MatchedName) -> Place:
        student, assignment = matched.match["student"], matched.match["assignment"]
        if matched.rest in RECORDS:
            return Ignored(reasons.NBGRADER_RECORD)
        time = parse_time(matched.match.groupdict().get("time") or "") or times.get(matched.unit)
        inner = matched.path(assignment if len(assignments) > 1 else "")
        return Placement((Student(student, student),), inner, time, time, part=assignment)

    return place_each(listing.paths, _find, place_one, "nbgrader folders")


NBGRADER = Layout("nbgrader", "nbgrader folders", _score, _place, reads=re.compile(r"(?:.*/)?timestamp\.txt"))
