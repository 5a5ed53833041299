"""The files of a folder or an archive by submission, and what of them is not compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from moss.check.roster import NO_ROSTER, identify_with, roster_warnings
from submissions.intake.archives.formats import archive_stem
from submissions.intake.archives.grouping import DEFAULT_CHOICES, group_submissions
from submissions.intake.archives.unpack import DEFAULT_LIMITS, DEFAULT_PATTERNS, unpack, walk
from submissions.intake.left_out.listing import Listing, describe
from submissions.intake.limits import BadArchive
from submissions.intake.sandbox.archives import unpack_opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.grouping import Grouping
    from submissions.intake.archives.grouping_warnings import GroupingWarning
    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.left_out.listing import LeftOut
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.intake.rosters import Roster

    Groups = dict[str, list[UnpackedEntry]]


class SkippedInput(NamedTuple):
    """A file or an entry of the archive that was not compared, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options of reading a folder or an archive.

    `patterns` are of files to count and to leave out; `partial` allows to compare an archive of which only a
    part could be read; `choices` say how files are grouped; `roster` has the students' names.
    """

    patterns: FilePatterns = DEFAULT_PATTERNS
    partial: bool = False
    choices: Choices = DEFAULT_CHOICES
    roster: Roster = NO_ROSTER


class Inputs(NamedTuple):
    """The files of each submission, named by the path inside it, what is not compared, and the grouping."""

    groups: Groups
    skipped: list[SkippedInput]
    grouping: Grouping
    warnings: list[GroupingWarning]


def read_inputs(path: Path, options: InputOptions) -> Inputs:
    """Return the submissions of a folder or an archive, grouped as chosen.

    Raises
    ------
    BadArchive
        When the path cannot be read, or an archive only in part and that is not allowed.
    """
    entries = read_entries(path, options)
    grouping, groups = group_submissions(
        entries, upload_name(path), options.choices, identify_with(options.roster)
    )
    left_out = left_out_listing(entries, options.patterns).left_out(grouping.places)
    skipped = [
        SkippedInput(entry.name, entry.reason)
        for entry in entries
        if entry.reason and not left_out.replaces(entry.name, accepted=False)
    ]
    skipped += [SkippedInput(path, grouping.reason(path)) for path in sorted(grouping.ignored)]
    skipped += [SkippedInput(entry.name, entry.reason) for entry in left_out.entries]
    warnings = [*grouping.warnings, *roster_warnings(options.roster, grouping.submissions)]
    return Inputs(_counted(grouping, groups, left_out), skipped, grouping, warnings)


def upload_name(path: Path) -> str:
    """Return the name of a folder, or of an archive without its suffix."""
    name = path.resolve().name
    return name if path.is_dir() else archive_stem(name)


def read_entries(path: Path, options: InputOptions) -> list[UnpackedEntry]:
    """Return the entries of a folder or an archive.

    Raises
    ------
    BadArchive
        When the path cannot be read, or an archive only in part and that is not allowed.
    """
    entries = list(entries_of(path, options.patterns))
    if not options.partial:
        check_complete(entries)
    return entries


def entries_of(path: Path, patterns: FilePatterns) -> Iterator[UnpackedEntry]:
    """Yield the entries of a folder, an archive or a single file; raise BadArchive if it cannot be read."""
    if path.is_dir():
        yield from walk(path, DEFAULT_LIMITS, patterns, unpack_opened)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file, DEFAULT_LIMITS, patterns, in_child=unpack_opened)


def check_complete(entries: list[UnpackedEntry]) -> None:
    """Raise BadArchive if only a part of an archive could be read."""
    for entry in entries:
        if entry.incomplete:
            raise BadArchive(
                f"{entry.name}: {entry.reason}. Nothing was compared, because only a part could be read. "
                "Unpack it and give the folder, or compare that part with --partial."
            )


def left_out_listing(entries: Iterable[UnpackedEntry], patterns: FilePatterns) -> Listing:
    """Return the listing that decides which entries a tool wrote."""
    listing = Listing(patterns)
    for entry in entries:
        listing.add(entry.name, None if entry.data is None else describe(entry.name, entry.data, patterns))
    return listing


def _counted(grouping: Grouping, groups: Groups, left_out: LeftOut) -> Groups:
    """Return the files of each submission without those that are left out."""
    removed = {grouping.places[path] for path in left_out.paths}
    counted = {
        submission: [entry for entry in files if (submission, entry.name) not in removed]
        for submission, files in groups.items()
    }
    return {name: files for name, files in counted.items() if files}
