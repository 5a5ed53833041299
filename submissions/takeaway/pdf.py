"""HTML as PDF, printed by a process of its own: whatever a source does to the printer, the server goes on."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

logger = logging.getLogger(__name__)

PRINTER = Path(__file__).with_name("printing.py")
NO_FONTS = 3  # as the printer says it
INSTEAD = "Take the HTML file and print it from a browser: that gives the same pages."
SECONDS = 60
MEMORY = 3 * 1024**3 // 2
# Printers that one server process has at a time; who comes later waits.
PRINTERS = BoundedSemaphore(2)
# Where fonts are looked for; neither the secret key nor the database's address is passed on.
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
    """Says why, and what to do instead."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} {INSTEAD}")


def printed(html: str, seconds: int = SECONDS, memory: int = MEMORY) -> bytes:
    """Give the page as PDF.

    Raises
    ------
    NotPrinted
        When it takes longer or more memory than that, when the printer breaks, and without fonts.
    """
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    command = [sys.executable, "-I", str(PRINTER), str(seconds), str(memory)]
    with PRINTERS:
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
