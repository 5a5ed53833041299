"""The language in which `moss check` reads each file, and the files that it does not compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import FILE_SECONDS, Unreadable, identify, leaves_doubt
from submissions.intake.archives.languages import likely_language, reading_languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.archives.members import UnpackedEntry


def languages_of(groups: Sequence[Sequence[UnpackedEntry]], wanted: str) -> list[list[str | None]]:
    """Return the language of each file of each submission, None for one that is not compared.

    `wanted` is the chosen language, or empty. A file whose language cannot be found has the `wanted` one:
    reading it says why. Where a file leaves doubt, the language of most files of the class decides.
    """
    detected = [[_detected(entry) for entry in group] for group in groups]
    likely = likely_language(language for group in detected for language in group)
    settled = [
        [_settled(entry, language, likely) for entry, language in zip(group, languages, strict=True)]
        for group, languages in zip(groups, detected, strict=True)
    ]
    return [_compared(languages, wanted) for languages in settled]


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
