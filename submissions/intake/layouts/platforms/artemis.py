"""Artemis: `prog1-Sorting Lists-4711-bpopescu/src/Main.java`, or `-student-submission.git` at the end.

ls1intum/Artemis, ProgrammingExerciseExportService and GitRepositoryExportService: short name of the
course, title of the exercise, number of the participation, login or short name of the team; each is an
archive or a folder.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(
    r"(?=[^/]*+/)(?P<exercise>[^/-]+-[^/]+?)-(?P<number>\d+)-"
    r"(?:(?P<hidden>student-submission(?:\.git)?)(?=/)|(?P<login>[^/]+))"
)
# The names of one export all begin with the course and the exercise.
MIN_SAME = 0.9


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    exercises = {
        matched.unit: matched.match["exercise"] for path in listing.sample if (matched := _find(path))
    }
    most = Counter(exercises.values()).most_common(1)
    if not most or most[0][1] < max(2, MIN_SAME * len(exercises)):
        return 0.0
    return 0.8 * share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "an Artemis export")


def _place_one(matched: MatchedName) -> Place:
    number, login = matched.match["number"], matched.match["login"]
    student = Student(login, login) if login else Student(f"participation {number}", number)
    return Placement((student,), matched.path())


ARTEMIS = Layout("artemis", "an Artemis export", _score, _place)
