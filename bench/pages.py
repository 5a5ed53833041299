"""Response times of the pages: `python -m bench.pages` (`--help` has the sizes).

Starts the whole service (Postgres, Valkey, worker, gunicorn) in a temporary folder. One assignment has an
invented report of `--submissions` submissions and `--pairs` pairs. For another one, a generated class is
uploaded and ranked: two of its submissions have a file of `--lines` lines each, two have `--files` files
each. Measured as a signed-in user:

- server: from the request to the last byte of the response, on the loopback interface;
- first paint, loaded: as reported by Chromium with an empty cache, if Chromium is on the PATH;
- page: processor time of the page's main thread until it is loaded, whatever else the machine does;
- elements: elements of the page when it is loaded.

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

HEADER = ("Page", "Server, ms", "kB", "First paint, ms", "Loaded, ms", "Page, ms", "Elements", "Target, ms")
# What can be chosen, with the default and the lowest value.
SIZES = {
    "pairs": ("pairs of the invented report", 5_000, 1),
    "submissions": ("submissions of the invented report", 1_500, 3),
    "lines": ("lines of each file of the long pair", 5_000, 1),
    "files": ("files of a side of the pair of many files", 80, 2),
    "repeat": ("requests of each page", 5, 1),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the pages and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    for name, (explanation, default, _) in SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{explanation} ({default})")
    options = parser.parse_args(arguments)
    for name, (_, _, lowest) in SIZES.items():
        if getattr(options, name) < lowest:
            parser.error(f"--{name} must be at least {lowest}")
    with tempfile.TemporaryDirectory(prefix="bench-pages-") as home:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ |= {"MOSS_HOME": home, "DJANGO_SETTINGS_MODULE": "moss.settings"}
        django.setup()
        # These import models, which need the settings.
        from bench.pages_site import Sizes, page_timings  # noqa: PLC0415

        sizes = Sizes(options.pairs, options.submissions, options.lines, options.files)
        timings = page_timings(sizes, options.repeat, sys.stderr)
    print(markdown(HEADER, [_row(timing) for timing in timings]))


def _row(timing: PageTiming) -> tuple[str, ...]:
    load = timing.load or (None,) * 4
    figures = (timing.server, timing.kilobytes, *load, timing.target)
    return (timing.page, *("-" if figure is None else f"{figure:,.0f}" for figure in figures))


if __name__ == "__main__":
    main()
