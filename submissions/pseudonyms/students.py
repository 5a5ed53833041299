"""Names of students: those in the roster of the course, and all those that a text may call them."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.archives.submission_names import plain_name
from submissions.models import Batch, EnrolledStudent, Submission, SubmissionStudent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.models import Assignment


class RosterLabel(NamedTuple):
    """The name of a submission by the roster, and the ids beside it: `Bruno Popescu`, `00042`."""

    name: str
    ids: str


def roster_labels(assignment: Assignment) -> dict[str, RosterLabel]:
    """Return the labels of the submissions with a student who is in the roster, by the submissions' names.

    What follows the students' names in that of the submission, such as the number of an attempt, stays. A
    name that an instructor gave herself stays as it is.
    """
    if not _has_roster(assignment):
        return {}
    labels: dict[str, RosterLabel] = {}
    for submission, students in _students(assignment).items():
        before = plain_name(students)
        if submission.startswith(before) and any(student.enrolled for student in students):
            after = submission[len(before) :]
            names = ", ".join(map(_shown_name, students))
            ids = ", ".join(_shown_id(student.enrolled) for student in students if student.enrolled)
            labels[submission] = RosterLabel(names + after, ids)
    return _distinct(labels)


def _has_roster(assignment: Assignment) -> bool:
    """Return whether the course has a roster; pages have fetched it with the course."""
    return hasattr(assignment.course, "roster")


def _shown_name(student: SubmissionStudent) -> str:
    return (student.enrolled.name if student.enrolled else "") or student.name


def _shown_id(student: EnrolledStudent) -> str:
    return student.identifier or student.login or student.email


def _distinct(labels: Mapping[str, RosterLabel]) -> dict[str, RosterLabel]:
    """Return the labels, with the submission's own name added where several would be the same."""
    counts = Counter(label.name for label in labels.values())
    return {
        name: label if counts[label.name] == 1 else label._replace(name=f"{label.name} ({name})")
        for name, label in labels.items()
    }


def origin_suffixes(assignment: Assignment) -> dict[str, str]:
    """Return what says of a copy from another assignment, and of a model solution, what it is, by its name.

    It is the end of such a name, and no secret: ` (Programming 1, Lab 1, 2024)`.
    """
    labelled = (Batch.Role.OTHER, Batch.Role.MODEL)
    named = Submission.objects.filter(batch__assignment=assignment, batch__role__in=labelled).order_by()
    rows = named.values_list("name", "batch__role", "batch__name")
    return {name: Batch(role=role, name=label).name_suffix for name, role, label in rows}


def known_spellings(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    """Return all that a text may call the students of each submission: names, ids, logins and addresses.

    They are by the submissions' names. Such a name is a spelling itself, but without what an upload of
    earlier work or the number of an attempt adds to it.
    """
    spellings: dict[str, tuple[str, ...]] = {}
    for submission, students in _students(assignment).items():
        own = () if submission.startswith(plain_name(students)) else (submission,)
        known = (text for student in students for text in _texts(student))
        spellings[submission] = tuple(dict.fromkeys(text for text in (*own, *known) if text))
    return spellings


def known_ids(assignment: Assignment) -> frozenset[str]:
    """Return the ids, logins and addresses of the students of an assignment, and of all on the roster."""
    rows = SubmissionStudent.objects.filter(submission__batch__assignment=assignment).exclude(identifier="")
    ids = set(rows.order_by().values_list("identifier", flat=True).distinct())
    if _has_roster(assignment):
        for student in EnrolledStudent.objects.filter(roster__course=assignment.course_id):
            ids.update(student.as_roster_student.ids)
    return frozenset(ids)


def others_in_roster(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    """Return the same of the students in the roster without a submission, by keys that are no names."""
    if not _has_roster(assignment):
        return {}
    rows = EnrolledStudent.objects.filter(roster__course=assignment.course_id)
    absent = rows.exclude(submission_students__submission__batch__assignment=assignment)
    return {
        f"\0{student.pk}": tuple(
            dict.fromkeys(text for text in (student.name, *student.as_roster_student.ids) if text)
        )
        for student in absent.order_by("pk")
    }


def _texts(student: SubmissionStudent) -> Iterable[str]:
    enrolled = student.enrolled
    known = (enrolled.name, *enrolled.as_roster_student.ids) if enrolled else ()
    return student.name, student.identifier, *known


def _students(assignment: Assignment) -> dict[str, list[SubmissionStudent]]:
    """Return the students of every submission, by the submissions' names; of equal names, the last."""
    rows = SubmissionStudent.objects.filter(submission__batch__assignment=assignment)
    by_id: dict[int, list[SubmissionStudent]] = defaultdict(list)
    names: dict[str, int] = {}
    for student in rows.select_related("enrolled", "submission").order_by("submission_id", "pk"):
        by_id[student.submission_id].append(student)
        names[student.submission.name] = student.submission_id
    return {name: by_id[pk] for name, pk in names.items()}
