"""Group the entries of an upload into submissions, by the layout that fits it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from submissions.archives.layouts.listing import (
    ALL_METADATA_BYTES,
    METADATA_BYTES,
    ListedFile,
    Listing,
)
from submissions.archives.layouts.places import Ignored, Placement
from submissions.archives.layouts.registry import LAYOUTS, is_metadata, recognise
from submissions.archives.names import replace_invisible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.archives.layouts.places import Layout, Student
    from submissions.archives.unpack import UnpackedEntry

    Key = tuple[str, ...]

# Longest name and identifier that the database holds.
MAX_NAME = 400


class FilePlace(NamedTuple):
    """The submission of an entry by name, and its path inside it."""

    submission: str
    path: str


@dataclass(frozen=True)
class Grouping:
    """The submissions of an upload.

    `places` has the place of each entry that counts, `ignored` the reason of each other one, by their paths;
    `earlier` has the submission of each of those that are an earlier attempt.
    `identifiers` has the id, login or e-mail address, and `submitted` the time, of each submission where they
    are known, by its name.
    """

    layout: Layout
    places: dict[str, FilePlace]
    ignored: dict[str, str]
    earlier: dict[str, str]
    identifiers: dict[str, str]
    submitted: dict[str, datetime]


@dataclass
class ListingBuilder:
    """Collects the accepted entries of an upload, and the bytes of those that a layout may read."""

    name: str = ""
    files: dict[str, ListedFile] = field(default_factory=dict)
    metadata: dict[str, bytes] = field(default_factory=dict)
    _metadata_bytes: int = 0

    def add(self, entry: UnpackedEntry) -> None:
        if entry.data is None:
            return
        self.files[entry.name] = ListedFile(entry.size, entry.modified)
        fits = entry.size <= min(METADATA_BYTES, ALL_METADATA_BYTES - self._metadata_bytes)
        if fits and is_metadata(entry.name):
            self.metadata[entry.name] = entry.data
            self._metadata_bytes += entry.size

    def listing(self) -> Listing:
        return Listing(self.files, self.metadata, self.name)


def group_files(listing: Listing, layout_key: str = "") -> Grouping:
    """Group the files of a listing by the layout of that key, or by the one that fits best."""
    layout = LAYOUTS[layout_key] if layout_key else recognise(listing)[0].layout
    placed = layout.place(listing)
    ignored = {path: place.reason for path, place in placed.items() if isinstance(place, Ignored)}
    placements = {path: place for path, place in placed.items() if isinstance(place, Placement)}
    superseded = _earlier_attempts(placements)
    counted = {path: place for path, place in placements.items() if path not in superseded}
    names = _submission_names(counted.values())
    earlier = {path: names[key] for path, key in superseded.items()}
    keys = {_key(place.students): place.students for place in counted.values()}
    return Grouping(
        layout,
        _distinct_paths(counted, names),
        ignored | {path: f"an earlier attempt of {name}" for path, name in earlier.items()},
        earlier,
        {names[key]: _identifier(students) for key, students in keys.items() if _identifier(students)},
        _latest_times(counted.values(), names),
    )


def group_submissions(
    entries: Iterable[UnpackedEntry], name: str = "", layout_key: str = ""
) -> tuple[Grouping, dict[str, list[UnpackedEntry]]]:
    """Return the grouping of `entries`, and those that count by submission, with their paths in it as names.

    `name` is that of the upload without its suffix.
    """
    builder = ListingBuilder(name)
    accepted = {}
    for entry in entries:
        builder.add(entry)
        if entry.data is not None:
            accepted[entry.name] = entry
    grouping = group_files(builder.listing(), layout_key)
    groups: dict[str, list[UnpackedEntry]] = defaultdict(list)
    for entry_name, place in grouping.places.items():
        groups[place.submission].append(accepted[entry_name]._replace(name=place.path))
    return grouping, dict(sorted(groups.items()))


def _key(students: tuple[Student, ...]) -> Key:
    """Return what tells submitters apart: their identifiers, or their names where there are none."""
    return tuple(sorted(f"id {one.identifier}" if one.identifier else f"name {one.name}" for one in students))


def _identifier(students: tuple[Student, ...]) -> str:
    return _clean(", ".join(one.identifier for one in students if one.identifier))


def _clean(name: str) -> str:
    """Return a name from a metadata file as one that can be shown and stored."""
    return replace_invisible(" ".join(name.split())).replace("/", "-")[:MAX_NAME]


def _submission_names(placements: Iterable[Placement]) -> dict[Key, str]:
    """Return the name of each submission; where several would have one, with the identifier or a number."""
    plain: dict[Key, tuple[str, str]] = {}
    for place in placements:
        name = _clean(", ".join(one.name for one in place.students)) or "(no name)"
        plain.setdefault(_key(place.students), (name, _identifier(place.students)))
    counts = Counter(name for name, _ in plain.values())
    names: dict[Key, str] = {}
    taken = {name for name, count in counts.items() if count == 1}
    for key, (name, identifier) in sorted(plain.items()):
        names[key] = (
            name if counts[name] == 1 else _free(f"{name} ({identifier})" if identifier else name, taken)
        )
        taken.add(names[key])
    return names


def _free(name: str, taken: set[str]) -> str:
    """Return `name`, cut to MAX_NAME and numbered if it is taken."""
    free, number = name[:MAX_NAME], 1
    while free in taken:
        number += 1
        free = f"{name[: MAX_NAME - 12]} ({number})"
    return free


def _latest_times(placements: Iterable[Placement], names: dict[Key, str]) -> dict[str, datetime]:
    times: dict[str, datetime] = {}
    for place in placements:
        if place.submitted:
            name = names[_key(place.students)]
            times[name] = max(times.get(name, place.submitted), place.submitted, key=_order)
    return times


def _order(attempt: int | datetime) -> tuple[int, int, datetime]:
    """Return what orders attempts of any kind: numbers, then times, of which those without a zone are UTC."""
    if isinstance(attempt, int):
        return 0, attempt, datetime.min  # noqa: DTZ901 - times are compared without their zones
    return 1, 0, attempt.astimezone(UTC).replace(tzinfo=None) if attempt.tzinfo else attempt


def _earlier_attempts(placements: dict[str, Placement]) -> dict[str, Key]:
    """Return the submitters of each entry of an attempt that is not their last."""
    last: dict[tuple[Key, str], int | datetime] = {}
    for place in placements.values():
        if place.attempt is not None:
            key = (_key(place.students), place.part)
            last[key] = max(last.get(key, place.attempt), place.attempt, key=_order)
    return {
        path: _key(place.students)
        for path, place in placements.items()
        if place.attempt is not None
        and _order(place.attempt) < _order(last[_key(place.students), place.part])
    }


def _distinct_paths(placements: dict[str, Placement], names: dict[Key, str]) -> dict[str, FilePlace]:
    """Return the place of each entry; where two of a submission have one path, the later has its own."""
    places: dict[str, FilePlace] = {}
    taken: set[FilePlace] = set()
    for path, placement in sorted(placements.items()):
        name = names[_key(placement.students)]
        place, number = FilePlace(name, placement.path or path.rpartition("/")[2]), 1
        while place in taken:
            place = FilePlace(name, path if number == 1 else f"{path} ({number})")
            number += 1
        taken.add(place)
        places[path] = place
    return places
