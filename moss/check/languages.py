"""The language in which `moss check` reads each file, and the files that it does not compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import FILE_SECONDS, Unreadable, identify
from submissions.intake.archives.languages import reading_languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.archives.members import UnpackedEntry


def languages_of(group: Sequence[UnpackedEntry], wanted: str) -> list[str | None]:
    """Return the language of each file of a submission, None for one that is not compared.

    `wanted` is the chosen language, or empty. A file whose language cannot be found has the `wanted` one:
    reading it says why.
    """
    detected = [_detected(entry) for entry in group]
    languages = iter(reading_languages([language for language in detected if language], wanted))
    return [(next(languages) or None) if language else wanted for language in detected]


def _detected(entry: UnpackedEntry) -> str:
    try:
        return identify(entry.data or b"", entry.name, "", FILE_SECONDS)[1].name
    except Unreadable:
        return ""
