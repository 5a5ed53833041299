"""Read an HTML page from standard input, and write it as PDF to standard output.

`pdf` runs this file as a process that may crash or be killed: `python -I printing.py SECONDS BYTES`, with its
limits of processor time and memory. The exit status is NO_FONTS if the machine has no font.
"""

from __future__ import annotations

import resource
import sys
from io import BytesIO

import plutoprint

NO_FONTS = 3
# This line is wider than MIN_WIDTH in any font. Without a font it has no width.
PROBE = "<!doctype html><title>-</title><body style='margin:0'><p style='white-space:nowrap'>" + "m" * 40
MIN_WIDTH = 80
# Links within a page work only if the page has an address.
BASE_URL = "about:document"


class RefusingFetcher(plutoprint.ResourceFetcher):
    """Refuses to fetch anything: a page to print is self-contained."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        raise ValueError(f"{url[:80]} is not fetched")


def load_book(html: str) -> plutoprint.Book:
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.custom_resource_fetcher = RefusingFetcher()
    book.load_html(html, base_url=BASE_URL)
    return book


def has_fonts() -> bool:
    probe = plutoprint.Book(plutoprint.PageSize(10, 10), plutoprint.PAGE_MARGINS_NONE)
    probe.load_html(PROBE)
    return bool(probe.get_document_width() > MIN_WIDTH)


def main(seconds: int, size: int) -> int:
    # The server process stops waiting before that; this limit ends a printer whose server process is gone.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    html = sys.stdin.buffer.read().decode()
    if not has_fonts():
        return NO_FONTS
    output = BytesIO()
    load_book(html).write_to_pdf_stream(output)
    sys.stdout.buffer.write(output.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
