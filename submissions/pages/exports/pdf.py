"""Print HTML as PDF in a process of its own: whatever a source does to the printer, the server goes on."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

PRINTER = Path(__file__).with_name("printing.py")
NO_FONTS = 3  # the printer's exit status
ALTERNATIVE = "Take the HTML file and print it from a browser: that gives the same pages."
SECONDS = 60
MEMORY = 3 * 1024**3 // 2
# Printers that one server process runs at a time. A later request waits for so many seconds only: it holds
# one of the process's few threads, and other pages need them.
PRINTERS = BoundedSemaphore(2)
WAIT_SECONDS = 10
# What finds fonts. Neither the secret key nor the database's address is passed on.
ENVIRONMENT = (
    "HOME",
    "LANG",
    "PATH",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
)


class NotPrinted(Exception):
    """The document was not printed; the message says why, and what to do instead."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} {ALTERNATIVE}")


def print_pdf(html: str, seconds: int = SECONDS, memory: int = MEMORY) -> bytes:
    """Return the page as PDF.

    Raises
    ------
    NotPrinted
        When it takes longer or more memory than that, when the printer breaks, when there are no fonts, and
        when other documents are printed for too long.
    """
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    command = [sys.executable, "-I", str(PRINTER), str(seconds), str(memory)]
    with _printer():
        try:
            done = subprocess.run(  # noqa: S603 - our own program
                command,
                input=html.encode(),
                capture_output=True,
                env=environment,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise NotPrinted(f"Printing took longer than {seconds} seconds.") from error
    if done.returncode == NO_FONTS:
        raise NotPrinted("This server has no fonts to print with; its administrator can install some.")
    if done.returncode:
        logger.error(
            "printing ended with %s: %s", done.returncode, done.stderr[-2000:].decode(errors="replace")
        )
        raise NotPrinted("The printer broke on this document.")
    return done.stdout


@contextmanager
def _printer() -> Iterator[None]:
    if not PRINTERS.acquire(timeout=WAIT_SECONDS):
        raise NotPrinted("This server is printing other documents: try again in a minute.")
    try:
        yield
    finally:
        PRINTERS.release()
