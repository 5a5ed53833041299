"""Blackboard: `Lab 1_bpopescu_attempt_2026-03-01-14-05-09_Main.java`, with a `.txt` for each attempt.

CodeGra-de (psef/helpers and psef/blackboard.py) and kwurst/bb-file-cleanup, bbcleanup.py: title of the
assignment, login, time of the attempt, name of the file. The `.txt` has the lines `Name: Bruno Popescu
(bpopescu)` and, for each file, `Original filename:` and `Filename:`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, natural_name, parse_digits, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(
    r"(?P<attempt>[^/]*_(?P<login>[^/_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5}))"
    r"(?:(?P<record>\.txt\Z)|_(?P<file>[^/]+)|(?=/))"
)
# Students write these files, so both patterns begin at the start of a line: `^\s*` would read all empty lines
# again from each of them.
WHO = re.compile(r"^[^\S\n]*+Name:(?P<name>[^\n]+?)\((?P<login>[^()\n]*)\)[ \t]*+\r?$", re.MULTILINE)
RENAMED = re.compile(r"^[^\S\n]*+Original filename:([^\r\n]+)\r?\n\s*+Filename:([^\r\n]+)", re.MULTILINE)


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    students: dict[str, Student] = {}
    originals: dict[str, str] = {}
    for path in listing.paths:
        if (matched := _find(path)) and matched.match["record"]:
            text = listing.read(path)
            if who := WHO.search(text):
                student = Student(natural_name(who[1]), who[2])
                students[matched.prefix + matched.match["attempt"]] = student
                students.setdefault(matched.match["login"], student)
            for original, name in RENAMED.findall(text):
                originals[matched.prefix + name.strip()] = original.strip()

    def place_one(matched: MatchedName) -> Place:
        login, time = matched.match["login"], parse_digits(matched.match["time"])
        known = students.get(login, Student(login, login))
        student = students.get(matched.prefix + matched.match["attempt"], known)
        if matched.match["record"]:
            return Ignored(reasons.BLACKBOARD_RECORD)
        file = originals.get(matched.unit, matched.match["file"] or "").replace("\\", "/").rpartition("/")[2]
        return Placement((student,), matched.path(file), time, time)

    return place_each(listing.paths, _find, place_one, "a Blackboard export")


BLACKBOARD = Layout(
    "blackboard", "a Blackboard export", _score, _place, reads=re.compile(r".*_attempt_[\d-]+\.txt")
)
