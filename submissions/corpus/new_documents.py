"""New documents that are compared with a corpus but not stored."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import Unreadable
from submissions.corpus.reading import SkippedDocument, decode_document, read_entries, token_kinds
from submissions.corpus.recipe import Signatures, compute_signatures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from submissions.intake.archives.members import UnpackedEntry


class NewDocument(NamedTuple):
    name: str
    sha256: str
    signatures: Signatures


def read_documents(
    path: Path, on_entry: Callable[[], None] = lambda: None
) -> tuple[list[NewDocument], list[SkippedDocument]]:
    """Read all documents of a folder, archive or file.

    `on_entry` is called after each entry.

    Raises
    ------
    BadArchive
        When `path` cannot be read.
    """
    documents, skipped = [], []
    for entry in read_entries(path):
        try:
            documents.append(_read(entry))
        except Unreadable as error:
            skipped.append(SkippedDocument(entry.name, str(error)))
        on_entry()
    return documents, skipped


def _read(entry: UnpackedEntry) -> NewDocument:
    if entry.data is None:
        raise Unreadable(entry.reason)
    signatures = compute_signatures(token_kinds(decode_document(entry.name, entry.data)))
    return NewDocument(entry.name, sha256(entry.data).hexdigest(), signatures)
