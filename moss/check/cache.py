"""What `moss check` read before, so that the same source is never lexed twice.

One SQLite file in the folder MOSS_CACHE (default: the user's cache folder); MOSS_CACHE=off does without. It
may be deleted at any time. Any change to a front-end, to Pygments or to what is kept starts it anew.
"""

from __future__ import annotations

import os
import sqlite3
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import fingerprint
import submissions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Bytes of packed tokens kept; the ones not used for longest go first. About ten times their source fits.
ROOM = 256_000_000
PATIENCE_SECONDS = 10.0
# Variables that one statement may bind, on any SQLite that Python is built with.
BOUND = 500
TABLES = """
CREATE TABLE IF NOT EXISTS reading (key BLOB PRIMARY KEY, packed BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS reading_used ON reading (used);
CREATE TABLE IF NOT EXISTS run (number INTEGER PRIMARY KEY AUTOINCREMENT);
"""


def folder() -> Path | None:
    """Give the folder that MOSS_CACHE names, or the user's own; None when it is off."""
    chosen = os.environ.get("MOSS_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moss-server"


@cache
def _makers() -> bytes:
    """Digest of all that decides what is made of a text, and how that is kept."""
    digest = blake2b(version("pygments").encode(), digest_size=16)
    engine, here = Path(fingerprint.__file__).parent, Path(__file__).parent
    storage = Path(submissions.__file__).parent / "storage"
    languages = sorted((engine / "languages").glob("*.py"))
    for source in (*languages, storage / "tokens.py", here / "readings.py"):
        digest.update(source.read_bytes())
    return digest.digest()


def key_of(data: bytes, name: str, language: str) -> bytes:
    """Name a reading: the bytes, what tells their language, and the front-ends' version."""
    digest = blake2b(data, digest_size=16, key=_makers())
    digest.update(f"\0{language}\0{Path(name).name}".encode("utf-8", "surrogatepass"))
    return digest.digest()


class Cache:
    """Readings by key; raises sqlite3.Error when the file is damaged, locked for long or not ours."""

    def __init__(self, at: Path) -> None:
        at.mkdir(parents=True, exist_ok=True)
        self._link = sqlite3.connect(at / "readings.sqlite3", timeout=PATIENCE_SECONDS, isolation_level=None)
        self._link.execute("PRAGMA journal_mode = WAL")
        self._link.execute("PRAGMA synchronous = NORMAL")
        self._link.executescript(TABLES)
        self._run = self._link.execute("INSERT INTO run DEFAULT VALUES").lastrowid

    def close(self) -> None:
        self._link.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Give what is known of the keys, and note that it was used."""
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, bytes] = {}
        with self._link:
            for at in range(0, len(wanted), BOUND):
                part = wanted[at : at + BOUND]
                marks = ",".join("?" * len(part))
                rows = self._link.execute(f"SELECT key, packed FROM reading WHERE key IN ({marks})", part)  # noqa: S608 - marks
                found.update(rows.fetchall())
                self._link.execute(f"UPDATE reading SET used = ? WHERE key IN ({marks})", [self._run, *part])  # noqa: S608 - marks
        return found

    def keep(self, readings: Mapping[bytes, bytes]) -> None:
        """Add readings, and let go of the oldest ones beyond ROOM."""
        with self._link:
            self._link.execute("BEGIN IMMEDIATE")
            self._link.executemany(
                "INSERT OR REPLACE INTO reading VALUES (?, ?, ?)",
                [(key, packed, self._run) for key, packed in readings.items()],
            )
            self._link.execute(
                "DELETE FROM reading WHERE key IN (SELECT key FROM (SELECT key,"
                " sum(length(packed)) OVER (ORDER BY used DESC, key) AS total FROM reading) WHERE total > ?)",
                [ROOM],
            )
