"""One file of an archive, as every reader yields it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime


@dataclass(frozen=True)
class Member:
    """One file of an archive: its name as stored, why it cannot be taken (or empty), and its bytes.

    `packed` bytes are known when each file is compressed by itself; `in_stream`, when all are one stream
    that counts what is read. `modified` is as stored: naive local time in a zip, UTC in a tar.
    """

    name: str
    size: int
    refusal: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    packed: int = 0
    in_stream: bool = False
    modified: datetime | None = None
