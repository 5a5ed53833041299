"""A cache of the token streams that `moss check` reads, so that unchanged files are not read again.

It is one SQLite file in the folder MOSS_CACHE (default: the user's cache folder); MOSS_CACHE=off disables it.
The file may be deleted at any time. Any change to a front-end, to Pygments or to the storage format changes
all keys, so that entries of other versions are never returned.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import fingerprint
import submissions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Bytes of packed tokens to keep; the least recently used entries are deleted first.
# Packed tokens take about a tenth of the size of their source.
MAX_BYTES = 256_000_000
LOCK_TIMEOUT_SECONDS = 10.0
# Variables that one statement may bind, in every SQLite version that Python is built with.
MAX_VARIABLES = 500
TABLES = """
CREATE TABLE IF NOT EXISTS reading (key BLOB PRIMARY KEY, packed BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS reading_used ON reading (used);
CREATE TABLE IF NOT EXISTS run (number INTEGER PRIMARY KEY AUTOINCREMENT);
"""

# A reading depends on these packages.
READER_LIBRARIES = ("charset-normalizer", "nbformat", "pygments")


@cache
def _reader_digest() -> bytes:
    """Return a digest of the code that reads and packs files, and of the versions of its libraries."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    digest = blake2b("".join(map(version, READER_LIBRARIES)).encode(), digest_size=16)
    engine, check = Path(fingerprint.__file__).parent, Path(__file__).parent
    intake = Path(submissions.__file__).parent / "intake"
    languages = sorted(source for name in ("languages", "lextables") for source in (engine / name).rglob("*.py"))
    root = (engine / "tokens.py", engine / "reading.py")
    for source in (*languages, *root, intake / "packed_readings.py", check / "readings.py"):
        digest.update(source.read_bytes())
    return digest.digest()


def reading_key(data: bytes, name: str, language: str, *, coarse: bool = False, words: bool = False) -> bytes:
    """Return the key (16 bytes) of a file: its bytes, its name, the forced language, the code that reads it.

    The name counts without its folder, because the language may be detected from it. A reading with the
    coarse stream, or with words of strings, has another key.
    """
    digest = blake2b(data, digest_size=16, key=_reader_digest())
    digest.update(f"\0{language}\0{coarse:d}{words:d}\0{Path(name).name}".encode("utf-8", "surrogatepass"))
    return digest.digest()


class ReadingCache:
    """Packed readings by key.

    Every method raises sqlite3.Error when the file is damaged, locked for too long, cannot be
    opened, or is not such a cache.
    """

    def __init__(self, folder: Path) -> None:
        # SQLite says that it cannot open the file of a folder that cannot be made.
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            folder / "readings.sqlite3", timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None
        )
        try:
            self._run = self._begin_run()
        except sqlite3.Error:
            self.close()
            raise

    def _begin_run(self) -> int | None:
        """Make the tables where they are missing; return the number of this run."""
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(TABLES)
        return self._connection.execute("INSERT INTO run DEFAULT VALUES").lastrowid

    def close(self) -> None:
        self._connection.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the readings stored under these keys, and mark them as used by this run."""
        distinct = list(dict.fromkeys(keys))
        readings: dict[bytes, bytes] = {}
        with self._connection:
            for start in range(0, len(distinct), MAX_VARIABLES):
                batch = distinct[start : start + MAX_VARIABLES]
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(
                    f"SELECT key, packed FROM reading WHERE key IN ({marks})",  # noqa: S608 - only marks
                    batch,
                )
                readings.update(rows.fetchall())
                self._connection.execute(
                    f"UPDATE reading SET used = ? WHERE key IN ({marks})",  # noqa: S608 - only marks
                    [self._run, *batch],
                )
        return readings

    def add(self, readings: Mapping[bytes, bytes]) -> None:
        """Add readings, then delete the least recently used ones beyond MAX_BYTES in total."""
        if not readings:
            return
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR REPLACE INTO reading VALUES (?, ?, ?)",
                [(key, packed, self._run) for key, packed in readings.items()],
            )
            self._connection.execute(
                "DELETE FROM reading WHERE key IN (SELECT key FROM (SELECT key,"
                " sum(length(packed)) OVER (ORDER BY used DESC, key) AS total FROM reading) WHERE total > ?)",
                [MAX_BYTES],
            )
