"""A Postgres server for the duration of one measurement."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from moss.embedded.client import ServiceLease, installation_paths, wait_until_stopped

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def database(dsn: str | None) -> Iterator[str]:
    """Yield `dsn` if it is set, else the address of a private server that is deleted afterwards."""
    if dsn:
        yield dsn
        return
    with tempfile.TemporaryDirectory(prefix="bench-store-") as folder:
        paths = installation_paths(Path(folder))
        lease = ServiceLease(paths, ["postgres"])
        try:
            yield paths.database_owner_url
        finally:
            lease.release()
            wait_until_stopped(paths)
