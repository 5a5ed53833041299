"""Compile the engine where it is not yet, with a bar in the terminal: `python -m moss.compiling`.

The commands keep what makes the next run shorter in a folder, which may be deleted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fingerprint.engine import ensure_compiled

if TYPE_CHECKING:
    # Called with a description and a number of parts; returns what is called after each part.
    StartBar = Callable[[str, int], Callable[[], None]]

READING, PREPARING = "Reading files", "Preparing the engine, once on this machine"


def cache_folder() -> Path | None:
    """Return the folder that MOSS_CACHE names, or else the user's cache folder; None when it is off."""
    chosen = os.environ.get("MOSS_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moss-server"


@contextmanager
def progress_bars() -> Iterator[StartBar]:
    """Yield a function that starts a bar on the error stream; without a terminal, it shows nothing."""
    if not sys.stderr.isatty():
        yield lambda _description, _parts: lambda: None
        return
    from rich.console import Console  # noqa: PLC0415 - only where it is shown
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415 - as above

    columns = TextColumn("{task.description}:"), MofNCompleteColumn(" of "), BarColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def start(description: str, parts: int) -> Callable[[], None]:
            task = bars.add_task(description, total=parts)
            return lambda: bars.advance(task)

        yield start


def main() -> None:
    with progress_bars() as start_bar:
        ensure_compiled(partial(start_bar, PREPARING))


if __name__ == "__main__":
    main()
