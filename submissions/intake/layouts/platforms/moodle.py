"""Moodle assignments: `Bruno Popescu_1234_assignsubmission_file/Main.java`, or all in one folder.

moodle/moodle, mod/assign/classes/downloader.php: the name of the student or team, underscores as spaces,
the participant's number (none for the default team), and the kind of plugin; then the files, in a folder
or, where "download in folders" is off, as a further part of the name. Older releases end the folder's
name with an underscore and keep those of the name. With blind marking the name is "Participant".
The number is another one in every assignment, and grading worksheets call it "Participant 1234".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import reasons
from submissions.intake.layouts.fields import natural_name
from submissions.intake.layouts.matching import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student, participant

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

NAME = re.compile(
    r"(?P<name>[^/]+?)(?:_(?P<id>\d+))?_assign(?P<use>submission|feedback)_(?P<kind>[a-z]+)"
    r"(?:_(?P<file>[^/]*))?(?=/|\Z)"
)
# An online text with no text is no longer than this, with its tags.
EMPTY_TEXT = 200
TAG = re.compile(r"<[^<>]*>|&nbsp;|\s")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    places = place_each(listing.paths, _find, _place_one, "a Moodle export")
    for path in listing.paths:
        if "_onlinetext" in path and listing.files[path].size <= EMPTY_TEXT:
            text = listing.read(path)
            place = places[path]
            if text and not TAG.sub("", text) and isinstance(place, Placement):
                places[path] = Ignored(reasons.EMPTY_ONLINE_TEXT, place.students)
    return places


def _place_one(matched: MatchedName) -> Place:
    name, number = natural_name(matched.match["name"]), matched.match["id"]
    # Not the bare number, which another student may have as a matriculation number.
    identifier = participant(number) if number else ""
    if matched.match["use"] == "feedback":
        return Ignored(reasons.FEEDBACK)
    if name == "Participant":
        name = identifier or name
    return Placement((Student(name, identifier),), matched.path(matched.match["file"] or ""))


MOODLE = Layout("moodle", "a Moodle export", _score, _place, reads=re.compile(r"(?=.*onlinetext).*\.html"))
