"""The stylesheet of a page that brings its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString

STATIC = Path(__file__).resolve().parents[2] / "static" / "submissions"
STYLES = ("moss.css", "paper.css")


@cache
def style() -> SafeString:
    # Of this package, so it may stand in a page as it is.
    return SafeString("\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES))
