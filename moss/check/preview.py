"""Say what `moss check` would compare of a folder or an archive, without comparing it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moss.check.inputs import left_out_listing, read_entries, upload_name
from moss.check.readings import detected_languages
from submissions.intake.archives.grouping import ListingBuilder
from submissions.intake.archives.grouping_warnings import roster_warnings
from submissions.intake.archives.languages import ChosenLanguages
from submissions.intake.archives.preview import SkippedEntry, preview_upload

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from moss.check.inputs import InputOptions
    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.archives.preview import Preview


def preview_path(path: Path, options: InputOptions) -> Preview:
    """Return what `moss check` would compare of a folder or an archive; no file is lexed.

    Raises
    ------
    BadArchive
        When the path cannot be read, or an archive only in part and that is not allowed.
    """
    entries = read_entries(path, options)
    builder = ListingBuilder(upload_name(path))
    for entry in entries:
        builder.add(entry)
    preview = preview_upload(
        builder.listing(),
        left_out_listing(entries, options.patterns),
        (SkippedEntry(entry.name, entry.size, entry.reason) for entry in entries if entry.reason),
        options.choices,
        options.identify,
    )
    chosen = ChosenLanguages("", options.language_patterns)
    preview = preview.with_languages(_detected(entries, preview.counted), chosen)
    more = roster_warnings(options.roster, preview.grouping.submissions)
    return replace(preview, warnings=(*preview.warnings, *more))


def _detected(entries: Iterable[UnpackedEntry], counted: Iterable[str]) -> dict[str, str]:
    """Return the languages of the files that count, by path."""
    paths = set(counted)
    files = [entry for entry in entries if entry.name in paths and entry.data is not None]
    return {file.name: language for file, language in zip(files, detected_languages(files), strict=True)}
