"""Handed-out code for `moss check`: a file, a folder or an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import Unreadable, read
from moss.check.inputs import SkippedInput, check_complete, entries_of
from submissions.intake.left_out.patterns import FilePatterns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fingerprint.engine import Reading


def read_boilerplate(paths: Iterable[Path], language: str) -> tuple[list[Reading], list[SkippedInput]]:
    """Return the handed-out code in files, folders and archives, and what in them was skipped.

    Raises
    ------
    BadArchive
        When an archive cannot be read, or only in part.
    Unreadable
        When nothing of a path can be read; the message names it.
    """
    readings, skipped = [], []
    for path in paths:
        of_path, not_read = _read_path(path, language)
        if not of_path:
            reason = not_read[0].reason if len(not_read) == 1 else "none of its files can be read"
            raise Unreadable(f"{path}: {reason}")
        readings += of_path
        skipped += not_read
    return readings, skipped


def _read_path(path: Path, language: str) -> tuple[list[Reading], list[SkippedInput]]:
    entries = list(entries_of(path, FilePatterns()))
    check_complete(entries)
    readings, skipped = [], []
    for entry in entries:
        reason = entry.reason
        if entry.data is not None:
            try:
                readings.append(read(entry.data, entry.name, language, coarse=True))
                continue
            except Unreadable as error:
                reason = str(error)
        skipped.append(SkippedInput(f"{path}: {entry.name}", reason))
    return readings, skipped
