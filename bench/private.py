"""A Postgres for one measurement."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from moss.embedded import client as embedded

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def database(dsn: str | None) -> Iterator[str]:
    """Yield the given address, or that of a private server that is gone afterwards."""
    if dsn:
        yield dsn
        return
    with tempfile.TemporaryDirectory(prefix="bench-store-") as folder:
        hold = embedded.Hold(embedded.place(Path(folder)), ["postgres"])
        try:
            yield hold.where.database_url
        finally:
            hold.release()
            embedded.wait_until_stopped(hold.where)
