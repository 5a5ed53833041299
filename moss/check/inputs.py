"""The files of a folder or an archive by submission, and what of them is not compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.archives.grouping import group_submissions, split_paths
from submissions.archives.left_out.listing import Listing
from submissions.archives.limits import BadArchive
from submissions.archives.unpack import DEFAULT_LIMITS, unpack, walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from submissions.archives.left_out.listing import LeftOut
    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.archives.unpack import UnpackedEntry

    Groups = dict[str, list[UnpackedEntry]]


class SkippedInput(NamedTuple):
    """A file or an entry of the archive that was not compared, and why."""

    name: str
    reason: str


def read_inputs(path: Path, patterns: FilePatterns, *, partial: bool) -> tuple[Groups, list[SkippedInput]]:
    """Return the files of each submission, named by the path inside it, and what is not compared.

    Raises
    ------
    BadArchive
        When the path cannot be read, or an archive only in part and that is not allowed by `partial`.
    """
    entries = list(_entries_of(path, patterns))
    if not partial:
        _check_complete(entries)
    groups, left_out = _counted(entries, patterns)
    skipped = [
        SkippedInput(entry.name, entry.reason)
        for entry in entries
        if entry.reason and not left_out.replaces(entry.name, accepted=False)
    ]
    return groups, skipped + [SkippedInput(entry.name, entry.reason) for entry in left_out.entries]


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


def _counted(entries: list[UnpackedEntry], patterns: FilePatterns) -> tuple[Groups, LeftOut]:
    """Return the files of each submission without those that are left out, and what is left out."""
    listing = Listing(patterns)
    for entry in entries:
        listing.add(entry.name, entry.data)
    places = split_paths(sorted(entry.name for entry in entries if entry.data is not None))
    left_out = listing.left_out(places)
    removed = {places[path] for path in left_out.paths}
    counted = {
        submission: [entry for entry in files if (submission, entry.name) not in removed]
        for submission, files in group_submissions(entries).items()
    }
    return {name: files for name, files in counted.items() if files}, left_out
