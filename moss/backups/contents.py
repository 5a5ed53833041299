"""The contents of a backup beside the database: its manifest, and the uploads of another storage."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pydantic import AliasChoices, BaseModel, Field

from submissions.models import Upload

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST, DATABASE, FILES = "manifest.json", "database.dump", "files/"
FORMAT = 1
CHUNK = 1 << 20


class Origin(BaseModel):
    """Which version wrote a backup, and in which format: the part of the manifest that every format has."""

    format: int
    version: str
    commit: str = ""


class Manifest(Origin):
    """The manifest of a backup; `checksums` has the SHA-256 of every other member."""

    # How the database ordered texts; see `moss.database_locale`.
    locale: str = ""
    # `made` is its name in backups before commit 92f5d33c, which have the same format.
    written: str = Field(validation_alias=AliasChoices("written", "made"))
    migrations: list[tuple[str, str]]
    counts: dict[str, int]
    checksums: dict[str, str]


def applied_migrations() -> list[tuple[str, str]]:
    return sorted(MigrationRecorder(connection).applied_migrations())


def row_counts() -> dict[str, int]:
    """Return the number of rows of each table, also of those that this version does not know."""
    counts = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's name
            counts[table] = cursor.fetchone()[0]
    return counts


def stored_files() -> list[str]:
    """Return the names of the stored files that rows name."""
    return sorted(Upload.objects.values_list("file", flat=True).distinct())


def checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
