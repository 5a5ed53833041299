"""Places: whose work a file is, by its layout, or why it is no work of a student."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from datetime import datetime

    from submissions.intake.layouts.listing import Listing


class Student(NamedTuple):
    """A student or team: the name as shown, and the id, login or e-mail address; empty if not known."""

    name: str
    identifier: str = ""


PARTICIPANT = "Participant "


def participant(number: str) -> str:
    """Return the identifier of a student whom a platform numbers anew in every assignment."""
    return PARTICIPANT + number


def is_participant(identifier: str) -> bool:
    """Return whether an identifier is worth nothing outside of its assignment, see `participant`."""
    return identifier.removeprefix(PARTICIPANT).isdecimal() and identifier.startswith(PARTICIPANT)


@dataclass(frozen=True, slots=True)
class Placement:
    """A file is the work of `students`, usually one; `path` is its path in their submission.

    Attempts, numbers or times, are compared with those of the same students and the same `part`, such as a
    problem of a contest. `submitted` is naive if local time, and None where the platform does not say.
    """

    students: tuple[Student, ...]
    path: str
    attempt: int | datetime | None = None
    submitted: datetime | None = None
    part: str = ""


class Ignored(NamedTuple):
    """A file is no work of a student, for a reason that is shown to the uploader.

    `students` are those who handed it in, where it is all that they may have handed in.
    """

    reason: str
    students: tuple[Student, ...] = ()


Place = Placement | Ignored

# Bytes of a metadata file that are read: of one about a student or an attempt, and of one about the class.
RECORD_BYTES, CLASS_BYTES = 200_000, 5_000_000


@dataclass(frozen=True)
class Layout:
    """A way to name submissions.

    `key` is for commands, `label` for people, as in "Read as a Moodle export". `score` returns from 0 to 1
    how well a listing fits; `place` returns a place for every path of a listing. `reads` matches the names of
    the metadata files that they read; larger ones than `read_bytes` are not read.
    """

    key: str
    label: str
    score: Callable[[Listing], float]
    place: Callable[[Listing], dict[str, Place]]
    reads: re.Pattern[str] | None = None
    read_bytes: int = RECORD_BYTES
