"""Essays and files of a Moodle quiz, as two reports download them.

PhilippImhof/moodle-quiz_essaydownload, report.php:
`Popescu_Bruno_345_20260301_140509/Question_1_-_Title/...` (name, number of the attempt, when it ended),
or the question outside, or `_` instead of the last folder. IITBombayWeb/moodle-quiz_downloadsubmissions,
report.php: `Q12 - Title/ID - Bruno Popescu/Attempt2_main.c`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import reasons
from submissions.intake.layouts.fields import natural_name, parse_digits
from submissions.intake.layouts.matching import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

_ATTEMPT = r"(?P<name>[^/]+)_\d+_(?P<time>\d{8}_\d{6})"
_QUESTION = r"(?P<question>Q(?:uestion)?_\d+)_-_[^/]*?"
_END = r"(?:/|_(?=response\.|questiontext\.|attachments/))"
BY_ATTEMPT = re.compile(rf"{_ATTEMPT}/{_QUESTION}{_END}")
BY_QUESTION = re.compile(rf"{_QUESTION}/{_ATTEMPT}{_END}")
WITH_ID = re.compile(
    r"(?P<question>Q\d+) - [^/]*/(?>(?P<id>[^/]+?) - )(?P<name>[^/]+)/(?:[^/]+/)*?Attempt(?P<number>\d+)_"
)


def _find(path: str) -> MatchedName | None:
    return find(BY_ATTEMPT, path) or find(BY_QUESTION, path) or find(WITH_ID, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "files of a Moodle quiz")


def _place_one(matched: MatchedName) -> Place:
    groups = matched.match.groupdict()
    if matched.rest.startswith("questiontext."):
        return Ignored(reasons.QUESTION)
    time = parse_digits(groups.get("time") or "")
    student = Student(natural_name(groups["name"]), groups.get("id") or "")
    attempt = time or int(groups.get("number") or 0)
    return Placement((student,), f"{groups['question']}/{matched.rest}", attempt, time)


MOODLE_QUIZ = Layout("moodle-quiz", "files of a Moodle quiz", _score, _place)
