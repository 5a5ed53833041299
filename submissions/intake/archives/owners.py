"""The submissions of entries that are not read: refused, ignored, and those of other attempts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from submissions.intake.archives.grouping import place_files
from submissions.intake.archives.submission_names import submitters
from submissions.intake.layouts.root import root_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.grouping import Grouping, PlacedFiles
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Placement


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
    """Place the files of a listing, and also what was refused, by the layout of a grouping."""
    root = root_of(listing.paths)
    more = listing.with_paths(name.rstrip("/") for name in refused if name.startswith(root))
    if choices.depth is None:
        choices = replace(choices, layout=grouping.layout.key)
    return place_files(more, choices)


def _handed_in(placement: Placement, choices: Choices) -> object:
    """Return what tells the submissions of a layout apart: students, and attempts if all of them count."""
    attempt = (placement.attempt, placement.part) if choices.attempts == "all" else None
    return submitters(placement.students), attempt
