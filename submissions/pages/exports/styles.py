"""The stylesheet of self-contained pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString

STATIC = Path(__file__).resolve().parents[2] / "static" / "submissions"


@cache
def style() -> SafeString:
    """Return the styles of the pages and of documents; a document follows the theme of the system."""
    moss, dark, paper = (_text(name) for name in ("moss.css", "dark.css", "paper.css"))
    # Safe: the files are part of this package.
    return SafeString(f"{moss}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{paper}")


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
