"""The language in which `moss check` reads each file, and the files that it does not compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import FILE_SECONDS, Unreadable, identify, leaves_doubt
from submissions.archives.languages import likely_language, reading_languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.archives.unpack import UnpackedEntry


def languages_of(groups: Sequence[Sequence[UnpackedEntry]], wanted: str) -> list[list[str | None]]:
    """Return the language of each file of each submission, None for one that is not compared.

    `wanted` is the chosen language, or empty. A file whose language cannot be found has the `wanted` one:
    reading it says why. Where a file leaves doubt, the language of most files of the class decides.
    """
    detected = iter(detected_languages([entry for group in groups for entry in group]))
    return [_compared([next(detected) for _ in group], wanted) for group in groups]


def detected_languages(files: Sequence[UnpackedEntry]) -> list[str]:
    """Return the language of each file of a class, "" for one that cannot be read."""
    detected = [_detected(entry) for entry in files]
    likely = likely_language(detected)
    return [_settled(entry, language, likely) for entry, language in zip(files, detected, strict=True)]


def _compared(detected: Sequence[str], wanted: str) -> list[str | None]:
    languages = iter(reading_languages([language for language in detected if language], wanted))
    return [(next(languages) or None) if language else wanted for language in detected]


def _settled(entry: UnpackedEntry, detected: str, likely: str) -> str:
    doubtful = detected and likely and detected != likely and leaves_doubt(entry.name)
    return _detected(entry, likely) if doubtful else detected


def _detected(entry: UnpackedEntry, likely: str = "") -> str:
    try:
        return identify(entry.data or b"", entry.name, "", FILE_SECONDS, likely=likely)[1].name
    except Unreadable:
        return ""
