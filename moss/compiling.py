"""Compile the engine where it is not yet, with a bar in the terminal: `python -m moss.compiling`."""

from __future__ import annotations

from functools import partial

from fingerprint.engine import ensure_compiled
from moss.progress_bars import PREPARING, progress_bars


def main() -> None:
    with progress_bars() as start_bar:
        ensure_compiled(partial(start_bar, PREPARING))


if __name__ == "__main__":
    main()
