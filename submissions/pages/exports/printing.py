"""Print an HTML page from standard input to standard output as PDF, in a process that may break or be killed.

Run as a file, with the seconds of computing and the bytes of memory that it may use:
`python -I printing.py SECONDS BYTES`. Ends with `NO_FONTS` where the machine has no font to print with.
"""

from __future__ import annotations

import resource
import sys
from io import BytesIO

import plutoprint

NO_FONTS = 3
# What a line of text is wide at least, in any font there is; without one it has no width.
PROBE = "<!doctype html><title>-</title><body style='margin:0'><p style='white-space:nowrap'>" + "m" * 40
WIDTH = 80
# Links within a page lead somewhere only in a page that has an address.
BASE = "about:document"


class Nothing(plutoprint.ResourceFetcher):
    """Fetches nothing: a page to print brings all that it needs."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        raise ValueError(f"{url[:80]} is not fetched")


def book_of(html: str) -> plutoprint.Book:
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.custom_resource_fetcher = Nothing()
    book.load_html(html, base_url=BASE)
    return book


def has_fonts() -> bool:
    probe = plutoprint.Book(plutoprint.PageSize(10, 10), plutoprint.PAGE_MARGINS_NONE)
    probe.load_html(PROBE)
    return bool(probe.get_document_width() > WIDTH)


def main(seconds: int, size: int) -> int:
    # Whoever waits for the PDF gives up first; this ends a printer that nobody waits for.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    html = sys.stdin.buffer.read().decode()
    if not has_fonts():
        return NO_FONTS
    printed = BytesIO()
    book_of(html).write_to_pdf_stream(printed)
    sys.stdout.buffer.write(printed.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
