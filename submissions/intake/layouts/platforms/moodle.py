"""Moodle: assignments, essays and files of a quiz, and the Virtual Programming Lab.

`Bruno Popescu_1234_assignsubmission_file/Main.java`, or all files in one folder; two reports download a
quiz; `Popescu Bruno 1234 bpopescu/2026-03-01-14-05-09/main.c` in the lab.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, natural_name, parse_digits, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student, participant

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(
    r"(?P<name>[^/]+?)(?:_(?P<id>\d+))?_assign(?P<use>submission|feedback)_(?P<kind>[a-z]+)"
    r"(?:_(?P<file>[^/]*))?(?=/|\Z)"
)
# An online text with no text is no longer than this, with its tags.
EMPTY_TEXT = 200
TAG = re.compile(r"<[^<>]*>|&nbsp;|\s")

_ATTEMPT = r"(?P<name>[^/]+)_\d+_(?P<time>\d{8}_\d{6})"
_QUESTION = r"(?P<question>Q(?:uestion)?_\d+)_-_[^/]*?"
_END = r"(?:/|_(?=response\.|questiontext\.|attachments/))"
BY_ATTEMPT = re.compile(rf"{_ATTEMPT}/{_QUESTION}{_END}")
BY_QUESTION = re.compile(rf"{_QUESTION}/{_ATTEMPT}{_END}")
WITH_ID = re.compile(
    r"(?P<question>Q\d+) - [^/]*/(?>(?P<id>[^/]+?) - )(?P<name>[^/]+)/(?:[^/]+/)*?Attempt(?P<number>\d+)_"
)

LAB_NAME = re.compile(
    r"(?P<name>[^/]+?) (?P<id>\d+)(?: (?P<login>[^/ ]*))?/(?P<time>\d{4}(?:-\d\d){5})(?P<record>\.ceg)?(?=/)"
)
LAB_RECORDS = ("Report.txt", "Errors.txt")


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


def _find_quiz(path: str) -> MatchedName | None:
    return find(BY_ATTEMPT, path) or find(BY_QUESTION, path) or find(WITH_ID, path)


def _score_quiz(listing: Listing) -> float:
    return share(listing, _find_quiz)


def _place_quiz(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find_quiz, _place_one_quiz, "files of a Moodle quiz")


def _place_one_quiz(matched: MatchedName) -> Place:
    groups = matched.match.groupdict()
    if matched.rest.startswith("questiontext."):
        return Ignored(reasons.QUESTION)
    time = parse_digits(groups.get("time") or "")
    student = Student(natural_name(groups["name"]), groups.get("id") or "")
    attempt = time or int(groups.get("number") or 0)
    return Placement((student,), f"{groups['question']}/{matched.rest}", attempt, time)


MOODLE_QUIZ = Layout("moodle-quiz", "files of a Moodle quiz", _score_quiz, _place_quiz)


def _find_vpl(path: str) -> MatchedName | None:
    return find(LAB_NAME, path)


def _score_vpl(listing: Listing) -> float:
    return share(listing, _find_vpl, LAB_RECORDS)


def _place_vpl(listing: Listing) -> dict[str, Place]:
    places = place_each(listing.paths, _find_vpl, _place_one_vpl, "a VPL export")
    reports = [path for name in LAB_RECORDS for path in listing.file_names.get(name, [])]
    return places | {path: Ignored(reasons.VPL_REPORT) for path in reports if _find_vpl(path) is None}


def _place_one_vpl(matched: MatchedName) -> Place:
    name, time = matched.match["name"], parse_digits(matched.match["time"])
    if matched.match["record"]:
        return Ignored(reasons.VPL_OUTPUT)
    student = Student(name, matched.match["login"] or matched.match["id"])
    return Placement((student,), matched.path(), time, time)


MOODLE_VPL = Layout("moodle-vpl", "a Moodle VPL export", _score_vpl, _place_vpl)
