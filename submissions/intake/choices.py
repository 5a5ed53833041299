"""Choices of an instructor, and their effect on submissions: a layout, names, attempts, splits and merges.

Names of submissions differ, and can be shown and stored. Of several attempts of a student one counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol, Self, get_args

from submissions.intake import sentences as reasons
from submissions.intake.entries import replace_invisible
from submissions.intake.layouts.places import Placement, Student, root_of
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.limits import Limits, outside_time

Submitters = tuple[str, ...]

# Attempts are compared with those of the same submitters at the same part of an assignment.
Task = tuple[Submitters, str]
AttemptKey = int | datetime

# Longest name and identifier that the database holds.
MAX_NAME = 400
NO_NAME = "(no name)"

Attempts = Literal["last", "all"]
# Folders inside each other that a choice of depth may go through.
MAX_DEPTH = 12
# Renamed and split submissions together; no upload has more entries.
MAX_NAMES = Limits.entries


def submitters(students: tuple[Student, ...]) -> Submitters:
    """Return what tells submitters apart: their identifiers, or their names where there are none."""
    return tuple(sorted(f"id {one.identifier}" if one.identifier else f"name {one.name}" for one in students))


def identifiers(students: Iterable[Student]) -> str:
    """Return the known identifiers of some students as one text."""
    return clean_name(", ".join(one.identifier for one in students if one.identifier))


def clean_name(name: str) -> str:
    """Return a name from a metadata file as one that can be shown and stored."""
    return replace_invisible(" ".join(name.split())).replace("/", "-")[:MAX_NAME].strip()


def plain_name(students: Iterable[Named]) -> str:
    """Return the names of some students as one text."""
    return clean_name(", ".join(one.name for one in students)) or NO_NAME


class Named(Protocol):
    """A student of a layout, or one who was stored."""

    @property
    def name(self) -> str: ...


class DistinctNames:
    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def add(self, name: str) -> str:
        """Return `name`, numbered if it is taken, which it is from now on."""
        unique = name
        while unique in self._taken:
            self._numbers[name] = self._numbers.get(name, 1) + 1
            end = f" ({self._numbers[name]})"
            unique = name[: MAX_NAME - len(end)].strip() + end
        self._taken.add(unique)
        return unique


def submission_names(students: Mapping[Submitters, tuple[Student, ...]]) -> dict[Submitters, str]:
    """Return the name of each submission; where several would have one, with the identifier or a number."""
    plain = {key: plain_name(members) for key, members in students.items()}
    counts = Counter(plain.values())
    unique = DistinctNames(name for name, count in counts.items() if count == 1)
    names: dict[Submitters, str] = {}
    for key, name in sorted(plain.items()):
        identifier = identifiers(students[key])
        if counts[name] == 1:
            names[key] = name
        else:
            names[key] = unique.add(clean_name(f"{name} ({identifier})") if identifier else name)
    return names


class BadChoices(ValueError):
    """A choice is none; the message says which, and what can be chosen."""


@dataclass(frozen=True)
class Choices:
    """Choices for grouping the files of an upload into submissions.

    layout: the key of a layout; empty for the layout that fits best.
    depth: None for submissions by the layout. A number instead of a layout: each folder or file at that depth
        is a submission, 0 for each file, 1 for the top-level folders, 2 for the folders in them. A folder
        around all files does not count.
    attempts: "last" if a student's last attempt counts, "all" if each is a submission of its own.
    due: with "last", the last attempt that is not after this time counts. If all attempts of a student are
        late, the last attempt counts, as without `due`, since platforms grade the last attempt; it is marked
        as late, as is every late attempt with "all". Has a time zone; times without one are in this zone.
    split: names of submissions that are split into the folders and files in them. Each name counts once.
    renames: names that submissions are to have, by their names as grouped and split. Submissions with one
        name after that are merged.
    """

    layout: str = ""
    depth: int | None = None
    attempts: Attempts = "last"
    due: datetime | None = None
    split: frozenset[str] = frozenset()
    renames: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse choices that contradict themselves; raise BadChoices with a message for the instructor."""
        if self.layout and self.layout not in LAYOUTS:
            raise BadChoices(f"There is no layout {self.layout!r}. Choose one of: {', '.join(LAYOUTS)}.")
        if self.depth is not None and not 0 <= self.depth <= MAX_DEPTH:
            raise BadChoices(f"The depth is a number from 0 (each file) to {MAX_DEPTH}, not {self.depth}.")
        if self.depth is not None and self.layout not in {"", "folders"}:
            raise BadChoices("Choose a layout or a depth: with a depth, the upload is read as plain folders.")
        if self.attempts not in get_args(Attempts):
            raise BadChoices(f"The attempts that count are {' or '.join(get_args(Attempts))}.")
        if self.due and self.due.tzinfo is None:
            raise BadChoices(f"The due date {self.due} needs a time zone.")
        if len(self.split) + len(self.renames) > MAX_NAMES:
            raise BadChoices(f"At most {MAX_NAMES:,} submissions can be renamed or split.")
        for name in (*self.split, *self.renames.keys(), *self.renames.values()):
            if not name.strip() or clean_name(name) != name:
                raise BadChoices(
                    f"{name[:MAX_NAME]!r} cannot be the name of a submission: a name is not empty, has at"
                    f" most {MAX_NAME} characters, no slash, no line break, and no two spaces in a row."
                )

    @classmethod
    def from_json(cls, stored: object) -> Self:
        """Return the choices that `to_json` returned as `stored`; fields that are missing have their default.

        Raises BadChoices for a value that is no choice.
        """
        if not isinstance(stored, dict):
            raise BadChoices("The choices are a JSON object.")
        unknown = sorted(set(map(str, stored)) - {one.name for one in fields(cls)})
        if unknown:
            raise BadChoices(f"There is no choice {', '.join(map(repr, unknown))}.")
        values: dict[str, Any] = {name: _READERS[name](name, value) for name, value in stored.items()}
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the choices as a JSON object, of which parts that are the default are left out."""
        values: dict[str, Any] = {
            "layout": self.layout,
            "depth": self.depth,
            "attempts": self.attempts if self.attempts != "last" else None,
            "due": self.due.isoformat() if self.due else None,
            "split": sorted(self.split),
            "renames": dict(sorted(self.renames.items())),
        }
        return {name: value for name, value in values.items() if value or value == 0}


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadChoices(f"The choice {name!r} has to be a text, not {value!r}.")
    return value


def _depth(name: str, value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise BadChoices(f"The choice {name!r} has to be a number or null, not {value!r}.")
    return value


def _time(name: str, value: object) -> datetime | None:
    if value is None:
        return None
    if time := outside_time(_text(name, value)):
        return time
    raise BadChoices(f"The choice {name!r} has to be a time of ISO 8601, not {value!r}.")


def _names(name: str, value: object) -> frozenset[str]:
    if not isinstance(value, list):
        raise BadChoices(f"The choice {name!r} has to be a list of names.")
    return frozenset(_text(name, one) for one in value)


def _renames(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BadChoices(f"The choice {name!r} has to be an object of names.")
    return {_text(name, old): _text(name, new) for old, new in value.items()}


_READERS: dict[str, Callable[[str, object], object]] = {
    "layout": _text, "depth": _depth, "attempts": _text, "due": _time, "split": _names, "renames": _renames,
}  # fmt: skip


class Attempt(NamedTuple):
    """The attempt that a file belongs to: its number from 1, how many there are, and when it was handed in.

    `reason` says why it does not count, and is empty where it counts. Without attempts there is one.
    """

    number: int = 1
    total: int = 1
    submitted: datetime | None = None
    late: bool = False
    reason: str = ""


ONLY_ATTEMPT = Attempt()


def order(attempt: AttemptKey) -> tuple[int, int, datetime]:
    """Return what orders attempts of any kind: numbers, then times, of which those without a zone are UTC."""
    if isinstance(attempt, int):
        return 0, attempt, datetime.min  # noqa: DTZ901 - times are compared without their zones
    return 1, 0, attempt.astimezone(UTC).replace(tzinfo=None) if attempt.tzinfo else attempt


def attempts_of(
    placements: Mapping[str, Placement], who: Mapping[str, Submitters], choices: Choices
) -> dict[str, Attempt]:
    """Return the attempt of each file; `who` is whose work it is."""
    tasks: dict[Task, dict[AttemptKey, list[str]]] = defaultdict(lambda: defaultdict(list))
    attempts: dict[str, Attempt] = {}
    for path, placement in placements.items():
        if placement.attempt is None:
            attempts[path] = _one_attempt([placement], choices.due) if placement.submitted else ONLY_ATTEMPT
        else:
            tasks[who[path], placement.part][placement.attempt].append(path)
    for paths in tasks.values():
        numbered = {
            at: _one_attempt([placements[path] for path in paths[at]], choices.due, number, len(paths))
            for number, at in enumerate(sorted(paths, key=order), 1)
        }
        if choices.attempts == "last":
            numbered = _only_one_counts(numbered)
        attempts.update((path, attempt) for at, attempt in numbered.items() for path in paths[at])
    # A platform knows extensions of the due date, so that its mark does not decide what counts.
    late = {(who[path], placement.attempt) for path, placement in placements.items() if placement.late}
    return {
        path: one._replace(late=one.late or (who[path], placements[path].attempt) in late)
        for path, one in attempts.items()
    }


def _one_attempt(placements: Iterable[Placement], due: datetime | None, number: int = 1, total: int = 1) -> Attempt:
    """Return the attempt of some files; `submitted` is the latest of their times."""
    times = [time for one in placements if (time := _time_of_attempt(one))]
    submitted = max(times, key=order, default=None)
    late = bool(due and submitted and _is_after(submitted, due))
    return Attempt(number, total, submitted, late)


def _time_of_attempt(placement: Placement) -> datetime | None:
    return placement.submitted or (placement.attempt if isinstance(placement.attempt, datetime) else None)


def _is_after(time: datetime, due: datetime) -> bool:
    """Return whether a time is after the due date; one without a zone is in that of the due date."""
    return (time if time.tzinfo else time.replace(tzinfo=due.tzinfo)) > due


def _only_one_counts(attempts: Mapping[AttemptKey, Attempt]) -> dict[AttemptKey, Attempt]:
    """Return the attempts with a reason for each but the last in time, or the last if none is in time."""
    in_time = [attempt.number for attempt in attempts.values() if not attempt.late]
    counts = max(in_time, default=len(attempts))
    return {
        at: attempt
        if attempt.number == counts
        else attempt._replace(reason=reasons.EARLIER_ATTEMPT if attempt.number < counts else reasons.LATE_ATTEMPT)
        for at, attempt in attempts.items()
    }


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
    """Return a name that no submission has: the part's name, if needed with the whole's name after it."""
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
