"""How quick the pages are: `python -m bench.pages [--pairs 5000] [--lines 5000] [--repeat 5]`.

Starts the whole service in a folder of its own (Postgres, Valkey, worker, gunicorn), uploads a made-up class
that gives so many pairs, two of its files with so many lines each, has it ranked by the worker, and times:

- server: from the request to the last byte of the answer, over the loopback, as somebody who is signed in;
- first paint and loaded: what Chromium reports of them with an empty cache, if it is on the PATH.

Figures are medians; the targets are those that the project has set itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING

import django

from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.pages_site import Timing

HEADER = ("Page", "Server, ms", "kB", "First paint, ms", "Loaded, ms", "Target, ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Time the pages and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5_000, help="pairs of the report, at least")
    parser.add_argument("--lines", type=int, default=5_000, help="lines of both files of the long pair")
    parser.add_argument("--repeat", type=int, default=5, help="times that each page is asked for")
    chosen = parser.parse_args(arguments)
    if min(chosen.pairs, chosen.lines, chosen.repeat) < 1:
        parser.error("--pairs, --lines and --repeat count from 1")
    with tempfile.TemporaryDirectory(prefix="bench-pages-") as home:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ |= {"MOSS_HOME": home, "DJANGO_SETTINGS_MODULE": "moss.settings"}
        django.setup()
        from bench.pages_site import timings  # noqa: PLC0415 - models, which want the settings made above

        said = sys.stderr
        rows = [_row(timing) for timing in timings(chosen.pairs, chosen.lines, chosen.repeat, said)]
    print(markdown(HEADER, rows))


def _row(timing: Timing) -> tuple[str, ...]:
    figures = (timing.server, timing.kilobytes, timing.first_paint, timing.loaded, timing.target)
    return (timing.page, *("-" if figure is None else f"{figure:,.0f}" for figure in figures))


if __name__ == "__main__":
    main()
