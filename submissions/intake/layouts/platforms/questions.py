"""A folder for each question, with the students in it: one submission a student, the question a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import LOOSE, are_questions
from submissions.intake.layouts.places import Layout
from submissions.intake.layouts.root import FITS, FITS_NOT, PROJECT_ENTRIES, one_student, root_of

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

# Path of a file in a question: the question, the student, the file.
DEEP_ENOUGH = 3
MIN_QUESTIONS = 2
# So many of the students answered two questions or more.
MIN_REPEATED = 0.5


def _score(listing: Listing) -> float:
    root = root_of(listing.paths)
    questions: dict[str, set[str]] = {}
    for path in listing.paths:
        parts = path[len(root) :].split("/", 2)
        if len(parts) == DEEP_ENOUGH:
            questions.setdefault(parts[1], set()).add(parts[0])
        elif len(parts) > 1:
            return FITS_NOT
    return FITS if _are_questions(questions) else FITS_NOT


def _are_questions(questions: dict[str, set[str]]) -> bool:
    """Return whether the folders around those of the students are questions; `questions` are by student."""
    folders = {question for answered in questions.values() for question in answered}
    repeated = sum(len(answered) > 1 for answered in questions.values())
    return (
        len(folders) >= MIN_QUESTIONS
        and are_questions(folders)
        and not any(are_questions([name]) or name.lower() in PROJECT_ENTRIES for name in questions)
        and len(questions) > 1
        and repeated >= MIN_REPEATED * len(questions)
    )


def _place(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    places: dict[str, Place] = {}
    for path in listing.paths:
        parts = path[len(root) :].split("/", 2)
        if len(parts) == DEEP_ENOUGH:
            question, student, inner = parts
            places[path] = one_student(student, f"{question}/{inner}")
        else:
            places[path] = LOOSE
    return places


QUESTIONS = Layout("questions", "a folder for each question, with the students in it", _score, _place)
