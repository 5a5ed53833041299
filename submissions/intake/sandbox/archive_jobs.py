"""The job of a child that unpacks one upload. It asks for the bytes of the files that it unpacks."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from fingerprint.engine import import_encodings
from submissions.intake import document_text, libarchive_reader as libarchive_binding
from submissions.intake.left_out.listing import reason_of_content
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.limits import BadArchive, Budget, Limits
from submissions.intake.members import PositionedFile
from submissions.intake.unpacking import unpack, unpack_all

if TYPE_CHECKING:
    from submissions.intake.entries import Entry
    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = (BadArchive,)
# Bytes of an upload that are kept, and that are asked for at a time at most.
BUFFER_BYTES, PIECE_BYTES = 1 << 18, 1 << 20


def preload() -> None:
    """Load what unpacking imports at first use."""
    import_encodings()
    libarchive_binding.load()
    document_text.load(Budget(Limits()))
    patterns = FilePatterns(("*.py",), ("*.c",))
    patterns.includes("a.py")
    patterns.excludes("a.py")
    reason_of_content("a.py", b"# generated\n", patterns)


class RequestedFile(PositionedFile):
    """A file of the upload: its bytes are asked for from the process on the other side of the channel."""

    def __init__(self, channel: Channel, number: int, size: int) -> None:
        super().__init__(size)
        self._channel, self._number = channel, number

    def read_at(self, position: int, size: int) -> bytes:
        piece = min(size, PIECE_BYTES)
        self._channel.send({"kind": "want", "file": self._number, "at": position, "size": piece})
        _, (data,) = self._channel.receive()
        return data


def _unpack(request: Header, _buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    """Unpack the files of an upload, but for those that are left out."""
    limits = Limits(**request["limits"])
    patterns = FilePatterns(*map(tuple, request["patterns"]))
    current = 0

    def files() -> Iterator[tuple[str, BinaryIO]]:
        nonlocal current
        for number, (name, size) in enumerate(request["files"]):
            if number not in request["left_out"]:
                current = number
                file = io.BufferedReader(RequestedFile(channel, number, size), BUFFER_BYTES)
                yield name, cast("BinaryIO", file)

    def nested(path: str) -> None:
        channel.send({"kind": "nested", "file": current, "path": path})

    if request["together"]:
        entries = unpack_all(files(), limits, patterns, [name for name, _ in request["files"]])
    else:
        options = {"folder": request["folder"], "nested": nested, "unread": request["unread"]}
        entries = unpack(*next(files()), limits, patterns, **options)
    for entry in entries:
        yield _message(entry, current, patterns)


def _message(entry: Entry, file: int, patterns: FilePatterns) -> Frame:
    modified = entry.modified.isoformat() if entry.modified else None
    left_out = reason_of_content(entry.name, entry.data, patterns) if entry.data else ""
    others = {"kind": "entry", "file": file, "data": None, "digest": ""}
    header = entry._replace(left_out=left_out)._asdict() | others | {"modified": modified}
    return header, [] if entry.data is None else [entry.data]


JOBS = {"unpack": _unpack}
