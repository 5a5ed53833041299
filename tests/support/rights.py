"""Blocks that run with the rights of another account."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def as_nobody() -> Iterator[None]:
    """Run a block with the rights of an account that owns nothing, where this is root's."""
    if os.geteuid():
        pytest.skip("only root can take the rights of another account")
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def let_others_enter(folder: Path) -> None:
    """Let every account enter a folder of a test, and so those above it."""
    for place in (folder, *folder.parents[:4]):
        place.chmod(place.stat().st_mode | 0o011)
