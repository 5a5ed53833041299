"""HTML as PDF, printed by a process of its own: whatever a source does to the printer, the server goes on."""

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
NO_FONTS = 3  # as the printer says it
INSTEAD = "Take the HTML file and print it from a browser: that gives the same pages."
SECONDS = 60
MEMORY = 3 * 1024**3 // 2
# Printers that one server process has at a time. Who comes later waits for so many seconds: meanwhile they
# hold one of the process's few threads, and the site must not wait with them.
PRINTERS = BoundedSemaphore(2)
TURN = 10
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
        When it takes longer or more memory than that, when the printer breaks, without fonts, and while
        others print for too long.
    """
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    command = [sys.executable, "-I", str(PRINTER), str(seconds), str(memory)]
    with _turn():
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
def _turn() -> Iterator[None]:
    if not PRINTERS.acquire(timeout=TURN):
        raise NotPrinted("This server is printing other documents: try again in a minute.")
    try:
        yield
    finally:
        PRINTERS.release()
