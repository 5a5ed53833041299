"""The text of a stored file, as its front-end shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import Decoded, decode, front_end

if TYPE_CHECKING:
    from submissions.models import SubmissionFile


def text_of(file: SubmissionFile) -> str:
    return decoded(file).text


def decoded(file: SubmissionFile) -> Decoded:
    """Give the text with the encoding that its bytes were in."""
    found = decode(bytes(file.source.data))
    return found._replace(text=front_end(file.document.language).text(found.text))
