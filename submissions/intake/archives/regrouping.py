"""Submissions that an instructor splits, renames or merges."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.archives.attempts import order
from submissions.intake.archives.submission_names import NO_NAME, DistinctNames, clean_name, identifiers
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.root import root_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime


class FilePlace(NamedTuple):
    """The submission of an entry by name, and its path inside it."""

    submission: str
    path: str


class GroupedSubmission(NamedTuple):
    """One submission of an upload.

    `students` are the student, or team mates and those who handed in together, as the layout knows them; a
    new name of the submission does not change them. `attempt` is its number from 1 of the student's
    `attempts`; `submitted` is when it was handed in, None if not known; `late` is after the due date.
    """

    students: tuple[Student, ...]
    attempt: int = 1
    attempts: int = 1
    submitted: datetime | None = None
    late: bool = False

    @property
    def identifier(self) -> str:
        """The known ids, logins or e-mail addresses as one text."""
        return identifiers(self.students)


class Regrouped(NamedTuple):
    """The place of each entry, the submissions by name, and the chosen names that no submission has."""

    places: dict[str, FilePlace]
    submissions: dict[str, GroupedSubmission]
    unknown: set[str]


def split_submissions(
    places: Mapping[str, FilePlace], submissions: Mapping[str, GroupedSubmission], names: Iterable[str]
) -> Regrouped:
    """Split submissions into the folders and files in them, and then the parts that are in `names` too."""
    regrouped = Regrouped(dict(places), dict(submissions), set(names))
    while chosen := regrouped.unknown & regrouped.submissions.keys():
        regrouped = _split_once(regrouped, chosen)
    return regrouped


def _split_once(grouped: Regrouped, chosen: set[str]) -> Regrouped:
    files: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, place in grouped.places.items():
        if place.submission in chosen:
            files[place.submission].append((place.path, path))
    submissions = {name: one for name, one in grouped.submissions.items() if name not in chosen}
    places = dict(grouped.places)
    unique = DistinctNames(submissions)
    for name in sorted(chosen):
        names: dict[tuple[str, bool], str] = {}
        root = root_of(sorted(inner for inner, _ in files[name]))
        for inner, path in sorted(files[name]):
            part, slash, rest = inner[len(root) :].partition("/")
            unit = part, bool(slash)
            if unit not in names:
                names[unit] = _name_of_part(part, name, unique)
                student = Student(names[unit])
                submissions[names[unit]] = grouped.submissions[name]._replace(students=(student,))
            places[path] = FilePlace(names[unit], rest or part)
    return Regrouped(places, submissions, grouped.unknown - chosen)


def _name_of_part(part: str, whole: str, unique: DistinctNames) -> str:
    """Return a name that no submission has: that of the part, else with that of the whole after it."""
    name = clean_name(part) or NO_NAME
    return unique.add(clean_name(f"{name} ({whole})") if name in unique else name)


def rename_submissions(
    places: Mapping[str, FilePlace], submissions: Mapping[str, GroupedSubmission], renames: Mapping[str, str]
) -> Regrouped:
    """Rename submissions, all at once; those with the same new name become one submission."""
    if not renames:
        return Regrouped(dict(places), dict(submissions), set())
    merged: dict[str, list[GroupedSubmission]] = defaultdict(list)
    for name, submission in sorted(submissions.items()):
        merged[renames.get(name, name)].append(submission)
    return Regrouped(
        {path: FilePlace(renames.get(name, name), inner) for path, (name, inner) in places.items()},
        {name: _merge(parts) for name, parts in merged.items()},
        set(renames) - submissions.keys(),
    )


def _merge(parts: list[GroupedSubmission]) -> GroupedSubmission:
    attempts, attempt = max((one.attempts, one.attempt) for one in parts)
    return GroupedSubmission(
        tuple(dict.fromkeys(student for one in parts for student in one.students)),
        attempt,
        attempts,
        max((one.submitted for one in parts if one.submitted), key=order, default=None),
        any(one.late for one in parts),
    )


def distinct_paths(places: Mapping[str, FilePlace]) -> dict[str, FilePlace]:
    """Return the places, sorted by entry; where two of a submission have one path, the later has its own."""
    distinct: dict[str, FilePlace] = {}
    taken: set[FilePlace] = set()
    for path, wanted in sorted(places.items()):
        place, number = wanted, 1
        while place in taken:
            place = FilePlace(wanted.submission, path if number == 1 else f"{path} ({number})")
            number += 1
        taken.add(place)
        distinct[path] = place
    return distinct
