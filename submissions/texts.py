"""The text of a stored file, as its front-end shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.languages import decode, front_end

if TYPE_CHECKING:
    from submissions.models import SubmissionFile


def text_of(file: SubmissionFile) -> str:
    return front_end(file.document.language).text(decode(bytes(file.source.data)).text)
