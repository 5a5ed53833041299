"""Look for texts in everything that an installation stores: every column of every table, files, Valkey."""

import zlib
from collections.abc import Iterable, Iterator

import redis
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection

COLUMNS = """
    SELECT table_name, column_name, data_type FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY table_name, column_name
"""


def places_of(texts: Iterable[str]) -> set[str]:
    """Return where one of the texts is stored, whatever its case: `table.column`, `file` or `valkey`."""
    wanted = [text.casefold() for text in texts]
    return {place for place, content in _contents() if any(text in content.casefold() for text in wanted)}


def _contents() -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        for table, column, kind in cursor.fetchall():
            name = f"{table}.{column}"
            cursor.execute(f'SELECT "{column}"{"" if kind == "bytea" else "::text"} FROM "{table}"')
            for (value,) in cursor.fetchall():
                yield from ((name, text) for text in _texts(value))
    yield from (("file", text) for text in _stored_files())
    client = redis.Redis.from_url(settings.REDIS_URL)
    for key in client.scan_iter("*"):
        yield "valkey", f"{key!r} {_value(client, key)!r}"


def _value(client: redis.Redis, key: bytes) -> object:
    """Return all that a key of Valkey has; one that went since it was listed has nothing."""
    match client.type(key):
        case b"string":
            return client.get(key)
        case b"list":
            return client.lrange(key, 0, -1)
        case b"set":
            return client.smembers(key)
        case b"hash":
            return client.hgetall(key)
        case b"zset":
            return client.zrange(key, 0, -1)
        case b"none":
            return None
        case kind:
            raise ValueError(f"{key!r} has the type {kind!r}, which is not searched")


def _texts(value: object) -> Iterator[str]:
    """Yield a value as text; of bytes, also what they are when they are decompressed."""
    if value is None:
        return
    if not isinstance(value, bytes | memoryview):
        yield str(value)
        return
    data = bytes(value)
    yield data.decode(errors="replace")
    try:
        yield zlib.decompress(data).decode(errors="replace")
    except zlib.error:
        return


def _stored_files() -> Iterator[str]:
    if default_storage.exists("uploads"):
        for name in default_storage.listdir("uploads")[1]:
            with default_storage.open(f"uploads/{name}") as file:
                yield name + file.read().decode(errors="replace")
