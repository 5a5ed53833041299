"""Group the entries of an upload into submissions, by the layout that fits it.

Entries that are not read belong to submissions too: refused entries, ignored entries, and entries of other attempts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from submissions.intake import sentences as reasons
from submissions.intake.choices import (
    ONLY_ATTEMPT,
    Attempt,
    Choices,
    DistinctNames,
    FilePlace,
    GroupedSubmission,
    Submitters,
    attempts_of,
    clean_name,
    distinct_paths,
    order,
    rename_submissions,
    split_submissions,
    submission_names,
    submitters,
)
from submissions.intake.entries import Entry
from submissions.intake.layouts.fields import LOOSE, LOOSE_FILE
from submissions.intake.layouts.places import ALL_METADATA_BYTES, Ignored, Layout, Listing, Placement, Student, root_of
from submissions.intake.layouts.platforms.folders import FILES, folders_at
from submissions.intake.layouts.registry import LAYOUTS, metadata_limit, recognise
from submissions.intake.limits import format_size
from submissions.intake.warnings import (
    GroupingWarning,
    Misfit,
    grouping_warnings,
    list_warnings,
    misfit_warning,
    unknown_names,
)

Identify = Callable[[Student], Student]

DEFAULT_CHOICES = Choices()


@dataclass(frozen=True)
class Grouping:
    """The submissions of an upload, by name.

    `places` has the place of each entry that counts, `ignored` the reason for each other entry, by path;
    `earlier` has the name of the submission for each ignored entry of another attempt of it, by path.
    """

    layout: Layout
    submissions: dict[str, GroupedSubmission]
    places: dict[str, FilePlace]
    ignored: dict[str, str]
    earlier: dict[str, str]
    warnings: list[GroupingWarning]

    def reason(self, path: str) -> str:
        """Return why an entry is ignored; the reason for an attempt that does not count names its student."""
        name = self.earlier.get(path)
        return reasons.NAMED_ATTEMPTS[self.ignored[path]].format(name=name) if name else self.ignored[path]


@dataclass
class ListingBuilder:
    """Collects the accepted entries of an upload, and the bytes of those that a layout may read."""

    name: str = ""
    files: dict[str, Entry] = field(default_factory=dict)
    metadata: dict[str, bytes] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    reading: Callable[[str], None] | None = None
    _metadata_bytes: int = 0

    def add(self, entry: Entry) -> None:
        if entry.data is None:
            return
        self.files[entry.name] = entry._replace(data=None)
        limit = metadata_limit(entry.name)
        if limit and entry.name not in self.unread:
            if entry.size > limit:
                self.unread[entry.name] = f"it has {format_size(entry.size)}, and at most {format_size(limit)} are read"
            elif self._metadata_bytes + entry.size > ALL_METADATA_BYTES:
                self.unread[entry.name] = f"all files of its kind have more than {format_size(ALL_METADATA_BYTES)}"
            else:
                self.metadata[entry.name] = entry.data
                self._metadata_bytes += entry.size

    def listing(self) -> Listing:
        return Listing(self.files, self.metadata, self.name, self.unread, self.reading)


class PlacedFiles(NamedTuple):
    """The files of an upload as a layout places them: students' work, and ignored files."""

    layout: Layout
    placements: dict[str, Placement]
    ignored: dict[str, Ignored]
    warnings: list[GroupingWarning]


def group_files(listing: Listing, choices: Choices = DEFAULT_CHOICES, identify: Identify | None = None) -> Grouping:
    """Group the files of a listing as an instructor chose.

    `identify` returns what a roster knows of a student of the layout.
    """
    layout, placements, ignored, warnings = place_files(listing, choices, identify)
    keys = {students: submitters(students) for students in {one.students for one in placements.values()}}
    who = {path: keys[placement.students] for path, placement in placements.items()}
    students = {who[path]: placements[path].students for path in reversed(placements)}
    names = submission_names(students)
    attempts = attempts_of(placements, who, choices)
    uncounted = {path: attempt.reason for path, attempt in attempts.items() if attempt.reason}
    submissions = submissions_by_attempt(placements, attempts, SubmitterNames(who, names, students), choices)
    split = split_submissions(*submissions, choices.split)
    renamed = rename_submissions(split.places, split.submissions, choices.renames)
    warnings += grouping_warnings(choices, names, students, renamed.submissions)
    warnings += unknown_names(split.unknown, renamed.unknown)
    warnings += list_warnings(path for path, place in ignored.items() if place in (LOOSE, LOOSE_FILE))
    return Grouping(
        layout,
        dict(sorted(renamed.submissions.items())),
        distinct_paths(renamed.places),
        {path: place.reason for path, place in ignored.items()} | uncounted,
        {
            path: choices.renames.get(name, name)
            for path in uncounted
            if (name := names[who[path]]) in split.submissions
        },
        warnings,
    )


def group_submissions(
    entries: Iterable[Entry], name: str = "", choices: Choices = DEFAULT_CHOICES, identify: Identify | None = None
) -> tuple[Grouping, dict[str, list[Entry]]]:
    """Return the grouping of `entries`, and the entries that count by submission, named by their paths in it.

    `name` is the name of the upload without its suffix.
    """
    builder = ListingBuilder(name)
    accepted = {}
    for entry in entries:
        builder.add(entry)
        if entry.data is not None:
            accepted[entry.name] = entry
    grouping = group_files(builder.listing(), choices, identify)
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry_name, place in grouping.places.items():
        groups[place.submission].append(accepted[entry_name]._replace(name=place.path))
    return grouping, dict(sorted(groups.items()))


def place_files(listing: Listing, choices: Choices, identify: Identify | None = None) -> PlacedFiles:
    """Place files by the chosen layout, or by the best-fitting layout if the chosen one names no student."""
    layout = _layout(listing, choices)
    placed, warnings = layout.place(listing), []
    if choices.layout and placed and not any(isinstance(place, Placement) for place in placed.values()):
        misfit = Misfit(layout, recognise(listing)[0].layout)
        placed, layout, warnings = misfit.used.place(listing), misfit.used, [misfit_warning(misfit)]
    ignored = {
        path: _with_limit(path, place, layout, listing) for path, place in placed.items() if isinstance(place, Ignored)
    }
    placements = {path: place for path, place in placed.items() if isinstance(place, Placement)}
    if identify:
        for path, place in placements.items():
            placements[path] = replace(place, students=tuple(dict.fromkeys(map(identify, place.students))))
    return PlacedFiles(layout, placements, ignored, warnings)


def _with_limit(path: str, place: Ignored, layout: Layout, listing: Listing) -> Ignored:
    """Return the place of a file that is ignored, with the reason why its layout did not read it."""
    if path not in listing.unread or not layout.reads or not layout.reads.fullmatch(path):
        return place
    return place._replace(reason=reasons.METADATA_UNREAD.format(reason=place.reason, why=listing.unread[path]))


def _layout(listing: Listing, choices: Choices) -> Layout:
    if choices.depth is not None:
        return folders_at(choices.depth) if choices.depth else FILES
    return LAYOUTS[choices.layout] if choices.layout else recognise(listing)[0].layout


class SubmitterNames(NamedTuple):
    """Submitters of each file, by its path, and the name and the students of each of these submitters."""

    who: Mapping[str, Submitters]
    names: Mapping[Submitters, str]
    students: Mapping[Submitters, tuple[Student, ...]]


def submissions_by_attempt(
    placements: Mapping[str, Placement], attempts: Mapping[str, Attempt], names: SubmitterNames, choices: Choices
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
    return submission._replace(attempt=number, attempts=total, submitted=latest, late=submission.late or attempt.late)


def owners(listing: Listing, grouping: Grouping, choices: Choices, refused: Iterable[str]) -> dict[str, str]:
    """Return the name of each entry's submission, by path; an entry whose submission is unknown is missing.

    `refused` are the paths of entries that are not in the listing. The layout of the grouping says whose they
    would have been.
    """
    known = {path: place.submission for path, place in grouping.places.items()}
    names_of_folders = {name.rstrip("/"): name for name in refused}
    if not names_of_folders and not grouping.ignored:
        return known
    placed = place_with(listing, names_of_folders, grouping, choices)
    names: dict[object, set[str]] = defaultdict(set)
    for path, submission in known.items():
        if placement := placed.placements.get(path):
            names[_handed_in(placement, choices)].add(submission)
    others = {path: _handed_in(one, choices) for path, one in placed.placements.items() if path not in known}
    others |= {path: (submitters(one.students), None) for path, one in placed.ignored.items() if one.students}
    by_students = {
        names_of_folders.get(path, path): next(iter(names[key]))
        for path, key in others.items()
        if len(names.get(key, ())) == 1
    }
    return by_students | grouping.earlier | known


def place_with(listing: Listing, refused: Iterable[str], grouping: Grouping, choices: Choices) -> PlacedFiles:
    """Place the files of a listing, and also refused files, by the layout of a grouping."""
    root = root_of(listing.paths)
    more = listing.with_paths(name.rstrip("/") for name in refused if name.startswith(root))
    if choices.depth is None:
        choices = replace(choices, layout=grouping.layout.key)
    return place_files(more, choices)


def _handed_in(placement: Placement, choices: Choices) -> object:
    """Return what tells the submissions of a layout apart: students, and attempts if all of them count."""
    attempt = (placement.attempt, placement.part) if choices.attempts == "all" else None
    return submitters(placement.students), attempt
