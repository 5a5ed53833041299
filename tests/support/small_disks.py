"""Small disks that tests fill, where mounting one is permitted."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

BYTES = 2_000_000
# Tablespaces belong to the server, which the processes of a test run share.
TABLESPACE = f"small_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


def fill(folder: Path) -> Path:
    """Leave no room in a folder; return the file that takes it."""
    path = folder / "fill"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            return path


def move_emptied(table: str) -> None:
    """Empty a table and move it to TABLESPACE, until the transaction of the test ends.

    Without emptying it, there may be room in its pages.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"TRUNCATE {table} CASCADE")
        cursor.execute(f"ALTER TABLE {table} SET TABLESPACE {TABLESPACE}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with room for BYTES."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={BYTES},mode=777", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def small_tablespace(small_disk: Path, django_db_setup: None) -> Iterator[Path]:
    """Return the folder of TABLESPACE; request this before the database."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
        row = session.execute("SHOW data_directory").fetchone()
        assert row is not None
        owner = os.stat(row[0])  # noqa: PTH116 - a path of the server
        os.chown(small_disk, owner.st_uid, owner.st_gid)
        for parent in small_disk.parents[:4]:
            parent.chmod(parent.stat().st_mode | 0o011)
        session.execute(f"CREATE TABLESPACE {TABLESPACE} LOCATION '{small_disk}'")
        yield small_disk
        (small_disk / "fill").unlink(missing_ok=True)
        session.execute(f"DROP TABLESPACE {TABLESPACE}")
