"""Response times of the pages: `python -m bench.pages [--pairs 5000] [--lines 5000] [--repeat 5]`.

Starts the whole service (Postgres, Valkey, worker, gunicorn) in a temporary folder, uploads a generated class
with at least `--pairs` pairs, in which two files have `--lines` lines each, waits until the worker has ranked
it, and measures as a signed-in user:

- server: from the request to the last byte of the response, on the loopback interface;
- first paint, loaded: as reported by Chromium with an empty cache, if Chromium is on the PATH.

Times are medians. The targets are the project's own.
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

    from bench.pages_site import PageTiming

HEADER = ("Page", "Server, ms", "kB", "First paint, ms", "Loaded, ms", "Target, ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the pages and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5_000, help="lowest number of pairs of the report")
    parser.add_argument("--lines", type=int, default=5_000, help="lines of each file of the long pair")
    parser.add_argument("--repeat", type=int, default=5, help="requests of each page")
    options = parser.parse_args(arguments)
    if min(options.pairs, options.lines, options.repeat) < 1:
        parser.error("--pairs, --lines and --repeat must be at least 1")
    with tempfile.TemporaryDirectory(prefix="bench-pages-") as home:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ |= {"MOSS_HOME": home, "DJANGO_SETTINGS_MODULE": "moss.settings"}
        django.setup()
        from bench.pages_site import page_timings  # noqa: PLC0415 - imports models, which need the settings

        timings = page_timings(options.pairs, options.lines, options.repeat, sys.stderr)
    print(markdown(HEADER, [_row(timing) for timing in timings]))


def _row(timing: PageTiming) -> tuple[str, ...]:
    figures = (timing.server, timing.kilobytes, timing.first_paint, timing.loaded, timing.target)
    return (timing.page, *("-" if figure is None else f"{figure:,.0f}" for figure in figures))


if __name__ == "__main__":
    main()
