"""A folder for each question, with the students in it: one submission a student, the question a folder."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.layouts.fields import LOOSE, are_questions
from submissions.intake.layouts.places import Layout
from submissions.intake.layouts.root import FITS, FITS_NOT, PROJECT_ENTRIES, one_student, root_of

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

MIN_QUESTIONS = 2
# So many of the students answered two questions or more.
MIN_REPEATED = 0.5
# Folders of questions with files alone have so many in each, so that they are no parts of one project.
MIN_FILES = 3
JOINING = " _-"


class Answer(NamedTuple):
    """The path of a file in the folder of a question: `inner` is empty where it is a file a student."""

    question: str
    student: str
    inner: str


def _answers(listing: Listing) -> dict[str, Answer | None]:
    """Return each path as an answer; None for a file beside the questions."""
    root = root_of(listing.paths)
    return {path: _answer(path[len(root) :].split("/", 2)) for path in listing.paths}


def _answer(parts: list[str]) -> Answer | None:
    match parts:
        case question, student, inner:
            return Answer(question, student, inner)
        case question, file:
            stem = file.rpartition(".")[0] or file
            # A file may be named after the question, too: `week1/ada_week1.py`.
            return Answer(question, stem.replace(question, "").strip(JOINING) or stem, "")
        case _:
            return None


def _score(listing: Listing) -> float:
    answers = [answer for answer in _answers(listing).values() if answer]
    files = Counter(answer.question for answer in answers if not answer.inner)
    folders = {answer.question for answer in answers if answer.inner}
    if files and (folders or min(files.values()) < MIN_FILES):
        return FITS_NOT
    questions: dict[str, set[str]] = {}
    for answer in answers:
        questions.setdefault(answer.student, set()).add(answer.question)
    return FITS if _are_questions(questions) else FITS_NOT


def _are_questions(questions: dict[str, set[str]]) -> bool:
    """Return whether the folders around the students are questions; `questions` are by student."""
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
    return {path: _place_one(path, answer) for path, answer in _answers(listing).items()}


def _place_one(path: str, answer: Answer | None) -> Place:
    if not answer:
        return LOOSE
    file = answer.inner or path.rpartition("/")[2]
    return one_student(answer.student, f"{answer.question}/{file}")


QUESTIONS = Layout("questions", "a folder for each question, with the students in it", _score, _place)
