"""The text of a stored file, as its front-end shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import decode, front_end

if TYPE_CHECKING:
    from fingerprint.engine import Decoded
    from submissions.models import Document, SubmissionFile


def text_of(file: SubmissionFile) -> str:
    return decoded(file).text


def decoded(file: SubmissionFile) -> Decoded:
    """Return the text, and the encoding that its bytes were in."""
    result = decode(bytes(file.source.data))
    return result._replace(text=front_end(file.document.language).text(result.text))


def document_text(document: Document) -> str:
    """Return the text of a document that was loaded with its source."""
    return front_end(document.language).text(decode(bytes(document.source.data)).text)
