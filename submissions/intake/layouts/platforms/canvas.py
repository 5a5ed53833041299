"""Canvas: `popescubruno_LATE_1234_56789_Main.java`, `popescubruno_1234_text.html`, `anon_kX3fz_56_a.c`.

instructure/canvas-lms, lib/content_zipper.rb: the sortable name in lower case without anything but
letters, LATE, the number of the student, the number of the file, and its name, which has a suffix such as
`-1` where the student handed in a file of that name before. A team has its name and the number of one of
its members. The number of a file grows with time, so of two downloads in one upload the later one counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

_NUMBERED = r"(?P<name>[^/_][^/]*?)(?:_LATE)?_(?P<id>\d+)"
_ANONYMOUS = r"(?:LATE_)?anon_(?P<anonymous>[A-Za-z0-9]{4,8})"
NAME = re.compile(
    rf"(?:{_ANONYMOUS}|{_NUMBERED})_(?:(?P<file_id>\d+)_(?P<file>[^/]+)|(?P<online>text|link)\.html\Z)"
)


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return 0.95 * share(listing, _find)


def _student(matched: MatchedName) -> Student:
    if identifier := matched.match["anonymous"]:
        return Student(f"anon {identifier}", identifier)
    return Student(matched.match["name"], matched.match["id"])


def _place(listing: Listing) -> dict[str, Place]:
    newest: dict[tuple[str, Student], int] = {}
    seen: dict[tuple[str | None, str], str] = {}
    for path in listing.paths:
        if (matched := _find(path)) and matched.match["file_id"]:
            key = (matched.prefix, _student(matched))
            newest[key] = max(newest.get(key, 0), int(matched.match["file_id"]))

    def place_one(matched: MatchedName) -> Place:
        student = _student(matched)
        if matched.match["online"] == "link":
            return Ignored(reasons.ONLY_A_LINK, (student,))
        inner = matched.path(matched.match["file"] or "text.html")
        again = seen.setdefault((matched.match["file_id"], matched.rest), matched.prefix) != matched.prefix
        if matched.match["file_id"] and again:
            return Ignored(reasons.DOWNLOADED_AGAIN)
        return Placement((student,), inner, newest.get((matched.prefix, student)))

    return place_each(listing.paths, _find, place_one, "a Canvas export")


CANVAS = Layout("canvas", "a Canvas export", _score, _place)
