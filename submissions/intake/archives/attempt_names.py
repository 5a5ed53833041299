"""The submission of each file that counts: one a student, or one an attempt if all attempts count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.archives.attempts import ONLY_ATTEMPT, order
from submissions.intake.archives.regrouping import FilePlace, GroupedSubmission
from submissions.intake.archives.submission_names import DistinctNames, clean_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from submissions.intake.archives.attempts import Attempt
    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.submission_names import Submitters
    from submissions.intake.layouts.places import Placement, Student


class Names(NamedTuple):
    """Submitters of each file, by its path, and the name and the students of each of these submitters."""

    who: Mapping[str, Submitters]
    names: Mapping[Submitters, str]
    students: Mapping[Submitters, tuple[Student, ...]]


def submissions_by_attempt(
    placements: Mapping[str, Placement], attempts: Mapping[str, Attempt], names: Names, choices: Choices
) -> tuple[dict[str, FilePlace], dict[str, GroupedSubmission]]:
    """Return the place of each file that counts, and the submissions by name."""
    unique = DistinctNames(names.names.values())
    attempt_names: dict[tuple[Submitters, str, int], str] = {}
    places: dict[str, FilePlace] = {}
    submissions: dict[str, GroupedSubmission] = {}
    for path, placement in placements.items():
        who, attempt = names.who[path], attempts[path]
        if attempt.reason:
            continue
        name = names.names[who]
        if choices.attempts == "all" and attempt.total > 1:
            key = (who, placement.part, attempt.number)
            if key not in attempt_names:
                attempt_names[key] = unique.add(_name_of_attempt(name, placement.part, attempt.number))
            name = attempt_names[key]
        places[path] = FilePlace(name, placement.path or path.rpartition("/")[2])
        submissions[name] = _add_attempt(submissions.get(name), names.students[who], attempt)
    return places, submissions


def _name_of_attempt(name: str, part: str, number: int) -> str:
    """Return the name for an attempt, without the number of all: that changes with each later upload."""
    note = f"{part}, attempt {number}" if part else f"attempt {number}"
    return clean_name(f"{name} ({note})")


def _add_attempt(
    submission: GroupedSubmission | None, students: tuple[Student, ...], attempt: Attempt
) -> GroupedSubmission:
    """Return a submission with a file of an attempt; it has the attempt of the part with most attempts."""
    if submission is None:
        return GroupedSubmission(students, attempt.number, attempt.total, attempt.submitted, attempt.late)
    if attempt == ONLY_ATTEMPT:
        return submission
    total, number = max((submission.attempts, submission.attempt), (attempt.total, attempt.number))
    times = [time for time in (submission.submitted, attempt.submitted) if time]
    latest = max(times, key=order, default=None)
    return submission._replace(
        attempt=number, attempts=total, submitted=latest, late=submission.late or attempt.late
    )
