"""Print HTML as PDF in a separate process, so that no source can crash or block the server."""

from __future__ import annotations

import logging
import os
import re
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
NO_FONTS = 3  # exit status of the printer
# Types of errors in a traceback.
ERRORS = re.compile(rb"^([\w.]*(?:Error|Exception|Interrupt))\b", re.MULTILINE)
ALTERNATIVE = "Take the HTML file and print it from a browser: that gives the same pages."
TIMEOUT_SECONDS = 60
MEMORY_BYTES = 3 * 1024**3 // 2
# Printers that one server process runs at a time. A further request waits for at most WAIT_SECONDS: it
# occupies one of the few threads of the process, which other pages need.
PRINTERS = BoundedSemaphore(2)
WAIT_SECONDS = 10
# Variables that help to find fonts. The secret key and the database's address are not passed on.
PASSED_VARIABLES = (
    "HOME",
    "LANG",
    "PATH",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
)


class PrintingFailed(Exception):
    """The document was not printed; the message says why, and what the user can do instead."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} {ALTERNATIVE}")


def print_pdf(html: str, seconds: int = TIMEOUT_SECONDS, memory: int = MEMORY_BYTES) -> bytes:
    """Return the page as PDF.

    Raises
    ------
    PrintingFailed
        When printing takes more than `seconds` or `memory` bytes, when the printer crashes, when there are no
        fonts, or when no printer becomes free in WAIT_SECONDS.
    """
    environment = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    command = [sys.executable, "-I", str(PRINTER), str(seconds), str(memory)]
    with _free_printer():
        try:
            process = subprocess.run(  # noqa: S603 - our own program
                command,
                input=html.encode(),
                capture_output=True,
                env=environment,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PrintingFailed(f"Printing took longer than {seconds} seconds.") from error
    if process.returncode == NO_FONTS:
        raise PrintingFailed(
            "This server's fonts are missing; its administrator can install the service again."
        )
    if process.returncode:
        # The messages of its errors may quote the document.
        kinds = b", ".join(ERRORS.findall(process.stderr)).decode()
        logger.error("printing failed with exit status %s (%s)", process.returncode, kinds or "no error")
        raise PrintingFailed("The printer broke on this document.")
    return process.stdout


@contextmanager
def _free_printer() -> Iterator[None]:
    if not PRINTERS.acquire(timeout=WAIT_SECONDS):
        raise PrintingFailed("This server is printing other documents: try again in a minute.")
    try:
        yield
    finally:
        PRINTERS.release()
