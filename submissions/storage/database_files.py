"""A storage of files in the database, in chunks, so that every worker reaches them.

At most two chunks of a file are in memory, while it is written or read.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, cast

import psycopg
from django.core.files import File
from django.core.files.storage import Storage
from django.db import connection, transaction
from django.db.models import F, Func, PositiveBigIntegerField, Sum

from submissions.intake.archives.members import PositionedFile
from submissions.models.waiting import FileChunk
from submissions.rows import insert

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet

CHUNK_BYTES = 1 << 20
SELECT = "SELECT data FROM submissions_filechunk WHERE name = %s AND number = %s"


class DatabaseStorage(Storage):
    """Files as rows of `FileChunk`; a file is stored whole or not at all, and is not changed afterwards."""

    def exists(self, name: str) -> bool:
        """Return whether there is a file of this name, or in a folder of this name."""
        return _chunks(name).exists() or FileChunk.objects.filter(name__startswith=f"{name}/").exists()

    def size(self, name: str) -> int:
        sizes = Func(F("data"), function="octet_length", output_field=PositiveBigIntegerField())
        total = _chunks(name).aggregate(total=Sum(sizes))["total"]
        if total is None:
            raise FileNotFoundError(f"there is no file {name}")
        return int(total)

    def delete(self, name: str) -> None:
        _chunks(name).delete()

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of the folders and of the files in a folder."""
        firsts = FileChunk.objects.filter(name__startswith=f"{path}/", number=0).order_by("name")
        names = [name[len(path) + 1 :] for name in firsts.values_list("name", flat=True)]
        folders = dict.fromkeys(name.partition("/")[0] for name in names if "/" in name)
        return list(folders), [name for name in names if "/" not in name]

    def get_modified_time(self, name: str) -> datetime:
        stored = _chunks(name).filter(number=0).values_list("stored", flat=True).first()
        if stored is None:
            raise FileNotFoundError(f"there is no file {name}")
        return stored

    def _save(self, name: str, content: File[bytes]) -> str:
        with transaction.atomic():
            for number, data in enumerate(_parts(content)):
                insert(connection, FileChunk, {"name": [name], "number": [number], "data": [data]})
        return name

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError(f"{name} cannot be changed: it is stored in the database")
        return File(cast("io.BytesIO", io.BufferedReader(_Chunks(name, self.size(name)))), name)


def _chunks(name: str) -> QuerySet[FileChunk]:
    return FileChunk.objects.filter(name=name)


def _parts(content: File[bytes]) -> Iterator[bytes]:
    """Yield the content in pieces of CHUNK_BYTES; an empty file has one empty piece."""
    content.seek(0)
    data = content.read(CHUNK_BYTES)
    yield data
    while data := content.read(CHUNK_BYTES):
        yield data


class _Chunks(PositionedFile):
    """A stored file, opened for reading; the chunk that was read last is kept."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(size)
        self._name = name
        self._number, self._data = -1, b""

    def read_at(self, position: int, size: int) -> bytes:
        number, start = divmod(position, CHUNK_BYTES)
        return self._chunk(number)[start : start + size]

    def _chunk(self, number: int) -> bytes:
        if number != self._number:
            self._data, self._number = _read_chunk(self._name, number), number
        return self._data


def _read_chunk(name: str, number: int) -> bytes:
    with connection.wrap_database_errors:
        connection.ensure_connection()
        with psycopg.Cursor(connection.connection) as cursor:
            row = cursor.execute(SELECT, [name, number], binary=True).fetchone()
    if row is None:
        raise FileNotFoundError(f"{name} was deleted while it was read")
    return bytes(row[0])


# The folder of files that grow.
FOLDER = "resumable"
EXTEND = "UPDATE submissions_filechunk SET data = data || %s WHERE name = %s AND number = %s"


def room(offset: int) -> int:
    """Return how many bytes fit into the chunk in which a file of `offset` bytes ends."""
    return CHUNK_BYTES - offset % CHUNK_BYTES


def append(name: str, offset: int, data: bytes) -> None:
    """Append at most `room(offset)` bytes to a file of `offset` bytes; call this in a transaction."""
    number, inside = divmod(offset, CHUNK_BYTES)
    if inside:
        with connection.cursor() as cursor:
            cursor.execute(EXTEND, [data, name, number])
    else:
        insert(connection, FileChunk, {"name": [name], "number": [number], "data": [data]})


def opened(name: str) -> File[bytes]:
    return DatabaseStorage().open(name)


def delete(name: str) -> None:
    DatabaseStorage().delete(name)


def names_before(before: datetime) -> set[str]:
    """Return the names of the files whose first part is from before `before`."""
    firsts = FileChunk.objects.filter(name__startswith=f"{FOLDER}/", number=0, stored__lt=before)
    return set(firsts.values_list("name", flat=True))
