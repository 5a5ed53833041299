"""New documents that a corpus is asked about; they are read, sketched and not stored."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import Unreadable
from submissions.corpus.reading import Skipped, entries, kinds_of, open_document
from submissions.corpus.recipe import Prints, prints

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from submissions.archives.unpack import Unpacked


class Newcomer(NamedTuple):
    name: str
    sha256: str
    prints: Prints


def read_all(path: Path, done: Callable[[], None] = lambda: None) -> tuple[list[Newcomer], list[Skipped]]:
    """Read a folder, archive or file; raises BadArchive when nothing of it can be.

    `done` is called after each entry.
    """
    found, skipped = [], []
    for entry in entries(path):
        try:
            found.append(_read(entry))
        except Unreadable as error:
            skipped.append(Skipped(entry.name, str(error)))
        done()
    return found, skipped


def _read(entry: Unpacked) -> Newcomer:
    if entry.data is None:
        raise Unreadable(entry.reason)
    made = prints(kinds_of(open_document(entry.name, entry.data)))
    return Newcomer(entry.name, sha256(entry.data).hexdigest(), made)
