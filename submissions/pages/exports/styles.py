"""The stylesheet of self-contained pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString

STATIC = Path(__file__).resolve().parents[2] / "static" / "submissions"
STYLES = ("moss.css", "paper.css")


@cache
def style() -> SafeString:
    # Safe: the files are part of this package.
    return SafeString("\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES))
