"""The preview of a folder or an archive: what `moss check` would compare; no file is lexed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moss.check.inputs import InputOptions, left_out_listing, read_entries, upload_name
from moss.check.languages import detected_languages
from moss.check.roster import identify_with, roster_warnings
from submissions.archives.grouping import ListingBuilder
from submissions.archives.preview import Preview, SkippedEntry, preview_upload

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from submissions.archives.unpack import UnpackedEntry


def preview_path(path: Path, options: InputOptions) -> Preview:
    """Return the preview of a folder or an archive.

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
        identify_with(options.roster),
    )
    preview = preview.with_languages(_detected(entries, preview.counted), "")
    more = roster_warnings(options.roster, preview.grouping.submissions)
    return replace(preview, warnings=(*preview.warnings, *more))


def _detected(entries: Iterable[UnpackedEntry], counted: Iterable[str]) -> dict[str, str]:
    """Return the languages of the files that count, by path."""
    paths = set(counted)
    files = [entry for entry in entries if entry.name in paths and entry.data is not None]
    return {file.name: language for file, language in zip(files, detected_languages(files), strict=True)}
