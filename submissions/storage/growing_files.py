"""Files in the database to which parts are appended, in the chunks of `DatabaseStorage`, which reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

from submissions.models.waiting import FileChunk
from submissions.rows import insert
from submissions.storage.database_files import CHUNK_BYTES, DatabaseStorage

if TYPE_CHECKING:
    from datetime import datetime

    from django.core.files import File

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
