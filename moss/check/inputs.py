"""The files of a folder or an archive by submission, and what of them is not compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.archives.formats import archive_stem
from submissions.archives.grouping import DEFAULT_CHOICES, group_submissions
from submissions.archives.left_out.listing import Listing, describe
from submissions.archives.limits import BadArchive
from submissions.archives.unpack import DEFAULT_LIMITS, unpack, walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from submissions.archives.choices import Choices
    from submissions.archives.grouping import Grouping
    from submissions.archives.left_out.listing import LeftOut
    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.archives.unpack import UnpackedEntry

    Groups = dict[str, list[UnpackedEntry]]


class SkippedInput(NamedTuple):
    """A file or an entry of the archive that was not compared, and why."""

    name: str
    reason: str


class Inputs(NamedTuple):
    """The files of each submission, named by the path inside it, what is not compared, and the layout."""

    groups: Groups
    skipped: list[SkippedInput]
    layout: str


def read_inputs(
    path: Path, patterns: FilePatterns, choices: Choices = DEFAULT_CHOICES, *, partial: bool
) -> Inputs:
    """Return the submissions of a folder or an archive, grouped as chosen.

    Raises
    ------
    BadArchive
        When the path cannot be read, or an archive only in part and that is not allowed by `partial`.
    """
    entries = list(_entries_of(path, patterns))
    if not partial:
        _check_complete(entries)
    name = path.resolve().name
    grouping, groups = group_submissions(entries, name if path.is_dir() else archive_stem(name), choices)
    counted, left_out = _counted(entries, patterns, grouping, groups)
    skipped = [
        SkippedInput(entry.name, entry.reason)
        for entry in entries
        if entry.reason and not left_out.replaces(entry.name, accepted=False)
    ]
    skipped += [SkippedInput(path, grouping.reason(path)) for path in sorted(grouping.ignored)]
    skipped += [SkippedInput(entry.name, entry.reason) for entry in left_out.entries]
    return Inputs(counted, skipped, grouping.layout.label)


def _entries_of(path: Path, patterns: FilePatterns) -> Iterator[UnpackedEntry]:
    if path.is_dir():
        yield from walk(path, DEFAULT_LIMITS, patterns)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file, DEFAULT_LIMITS, patterns)


def _check_complete(entries: list[UnpackedEntry]) -> None:
    for entry in entries:
        if entry.incomplete:
            raise BadArchive(
                f"{entry.name}: {entry.reason}. Nothing was compared, because only a part could be read. "
                "Unpack it and give the folder, or compare that part with --partial."
            )


def _counted(
    entries: list[UnpackedEntry], patterns: FilePatterns, grouping: Grouping, groups: Groups
) -> tuple[Groups, LeftOut]:
    """Return the files of each submission without those that are left out, and what is left out."""
    listing = Listing(patterns)
    for entry in entries:
        listing.add(entry.name, None if entry.data is None else describe(entry.name, entry.data, patterns))
    left_out = listing.left_out(grouping.places)
    removed = {grouping.places[path] for path in left_out.paths}
    counted = {
        submission: [entry for entry in files if (submission, entry.name) not in removed]
        for submission, files in groups.items()
    }
    return {name: files for name, files in counted.items() if files}, left_out
