"""Texts of stored files and documents, as their front-ends read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import decode, front_end

if TYPE_CHECKING:
    from fingerprint.engine import Decoded
    from submissions.models import Document, SubmissionFile


def file_text(file: SubmissionFile) -> str:
    return decode_file(file).text


def decode_file(file: SubmissionFile) -> Decoded:
    """Return the text of a file and the encoding of its bytes."""
    decoded = decode(bytes(file.source.data))
    return decoded._replace(text=front_end(file.document.language).text(decoded.text))


def document_text(document: Document) -> str:
    """Return the text of a document that was loaded with its source."""
    return front_end(document.language).text(decode(bytes(document.source.data)).text)
