"""CodeGrade: `Bruno Popescu - 2026-03-01T14:05:09.123456/Main.java`, one folder an attempt.

CodeGra-de/CodeGra.fs, codegra_fs/cgfs.py, load_submissions: the name, and when it was handed in, as ISO
8601. Systems that do not allow colons in names have other characters for them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import parse_time
from submissions.intake.layouts.matching import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

NAME = re.compile(r"(?P<name>[^/]+?) - (?P<time>\d{4}-\d\d-\d\d[ T]\d\d[:_.-]\d\d[:_.-]\d\d[^/ ]*)(?=/)")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "a CodeGrade folder")


def _place_one(matched: MatchedName) -> Place:
    time = parse_time(matched.match["time"])
    return Placement((Student(matched.match["name"]),), matched.path(), time, time)


CODEGRADE = Layout("codegrade", "a CodeGrade folder", _score, _place)
