"""OpenOlat: `Lab 1/Popescu_Bruno_bpopescu/2_submissions/Main.java`, and `4_revisions_1` for a later version.

OpenOLAT/OpenOLAT, GTACourseNode.java, archiveNodeData: last and first name and login, or the name of a group
and its number; in each, numbered folders of what the student got, handed in, and got back. Beside them
solutions and a table of results.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(
    r"(?P<who>[^/]+)/\d+_(?:(?P<received>task|corrections(?:_\d+)?|assessment)|submissions"
    r"|revisions_(?P<version>\d+))(?=/)"
)


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "an OpenOlat export")


def _place_one(matched: MatchedName) -> Place:
    if matched.match["received"]:
        return Ignored(reasons.OPENOLAT_RETURNED)
    student = _student(*matched.match["who"].split("_"))
    return Placement((student,), matched.rest, int(matched.match["version"] or 0))


def _student(*parts: str) -> Student:
    match parts:
        case last, first, login if not login.isdecimal():
            return Student(f"{first} {last}", login)
        case *names, identifier if names:
            # A group and its number, or a name of more words, of which nobody can say which is the last name.
            return Student(" ".join(names), identifier)
        case _:
            return Student(parts[0])


OPENOLAT = Layout("openolat", "an OpenOlat export", _score, _place)
