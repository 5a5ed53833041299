"""Read an HTML page from standard input, and write it as PDF to standard output.

`pdf` runs this file as a process that may crash or be killed: `python -I printing.py SECONDS BYTES`, with its
limits of processor time and memory. The exit status is NO_FONTS if there is no font.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from importlib.util import find_spec
from io import BytesIO
from xml.sax.saxutils import escape

import plutoprint

NO_FONTS = 3
# Packages that consist of fonts. With them a server without fonts prints too, and servers print alike.
FONT_PACKAGES = ("manimgx_fonts", "fontpkg_roboto_mono", "noto_cjk_sans_jp_regular")
# The configuration of Fontconfig: the system's, or else the printing library's; then those packages. Their
# families are used for `sans-serif` and `monospace` where the system has no font for these.
FONTCONFIG = """<?xml version="1.0"?>
<fontconfig>
<include ignore_missing="yes">{default}</include>
{folders}
<alias><family>sans-serif</family><default><family>Noto Sans</family></default></alias>
<alias><family>serif</family><default><family>Noto Sans</family></default></alias>
<alias><family>monospace</family><default><family>Roboto Mono</family></default></alias>
</fontconfig>
"""
# This line is wider than MIN_WIDTH in any font. Without a font it has no width.
PROBE = "<!doctype html><title>-</title><body style='margin:0'><p style='white-space:nowrap'>" + "m" * 40
MIN_WIDTH = 80
# Links within a page work only if the page has an address.
BASE_URL = "about:document"


class RefusingFetcher(plutoprint.ResourceFetcher):
    """Refuses to fetch anything: a page to print is self-contained."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        raise ValueError(f"{url[:80]} is not fetched")


def add_fonts() -> None:
    """Let this process print with the fonts of FONT_PACKAGES too, unless it was given a configuration."""
    if "FONTCONFIG_FILE" in os.environ:
        return
    places = [find_spec(name) for name in FONT_PACKAGES]
    folders = [folder for one in places if one for folder in one.submodule_search_locations or ()]
    configuration = FONTCONFIG.format(
        default=escape(_default_configuration()),
        folders="\n".join(f"<dir>{escape(folder)}</dir>" for folder in folders),
    )
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(configuration)
        file.flush()
        os.environ["FONTCONFIG_FILE"] = file.name
        has_fonts()  # the library reads the file at its first page


def _default_configuration() -> str:
    system = os.path.join(os.environ.get("FONTCONFIG_PATH", "/etc/fonts"), "fonts.conf")  # noqa: PTH118 - few imports
    if os.path.exists(system):  # noqa: PTH110
        return system
    return os.path.join(os.path.dirname(plutoprint.__file__), "fontconfig", "fonts.conf")  # noqa: PTH118, PTH120


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
    add_fonts()
    if not has_fonts():
        return NO_FONTS
    output = BytesIO()
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.custom_resource_fetcher = RefusingFetcher()
    book.load_html(html, base_url=BASE_URL)
    book.write_to_pdf_stream(output)
    sys.stdout.buffer.write(output.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
