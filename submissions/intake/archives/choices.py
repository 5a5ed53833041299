"""Choices of an instructor: a layout, names, attempts and more, instead of what is found by default."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from submissions.intake.archives.submission_names import MAX_NAME, clean_name
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Attempts = Literal["last", "all"]
# Folders inside each other that a choice of depth may go through.
MAX_DEPTH = 12
# Renamed and split submissions together; no upload has more entries.
MAX_NAMES = Limits.entries


class BadChoices(ValueError):
    """A choice is none; the message says which, and what can be chosen."""


@dataclass(frozen=True)
class Choices:
    """Choices for grouping the files of an upload into submissions.

    layout: the key of a layout; empty for the one that fits best.
    depth: None for submissions by the layout. A number instead of a layout: each folder or file at that depth
        is a submission, 0 for each file, 1 for the top-level folders, 2 for the folders in them. A folder
        around all files does not count.
    attempts: "last" if a student's last attempt counts, "all" if each is a submission of its own.
    due: with "last", the last attempt that is not after this time counts. Of a student whose attempts are all
        late, the last one counts as without `due`, since that is the one that platforms grade; it is marked
        as late, as is every late attempt with "all". Has a time zone; times without one are in the same zone.
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
        """Refuse choices that contradict themselves.

        Raises
        ------
        BadChoices
            With a message for the instructor.
        """
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
        self._check_names()

    def _check_names(self) -> None:
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

        Raises
        ------
        BadChoices
            For a value that is no choice.
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
    try:
        return datetime.fromisoformat(_text(name, value))
    except ValueError as error:
        raise BadChoices(f"The choice {name!r} has to be a time of ISO 8601, not {value!r}.") from error


def _names(name: str, value: object) -> frozenset[str]:
    if not isinstance(value, list):
        raise BadChoices(f"The choice {name!r} has to be a list of names.")
    return frozenset(_text(name, one) for one in value)


def _renames(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BadChoices(f"The choice {name!r} has to be an object of names.")
    return {_text(name, old): _text(name, new) for old, new in value.items()}


_READERS: dict[str, Callable[[str, object], object]] = {
    "layout": _text,
    "depth": _depth,
    "attempts": _text,
    "due": _time,
    "split": _names,
    "renames": _renames,
}
