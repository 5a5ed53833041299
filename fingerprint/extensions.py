"""Rows that installed packages add to the tables of languages and layouts, by entry points."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TypeVar

LANGUAGES, LAYOUTS = "moss_server.languages", "moss_server.layouts"
Row = TypeVar("Row")


def added(group: str, kind: type[Row]) -> list[Row]:
    """Return the rows of a group, by the names of their entry points."""
    if group not in _groups():
        return []
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load, and no one else needs it

    points = sorted(entry_points(group=group), key=lambda point: point.name)
    rows = [(point, point.load()) for point in points]
    if wrong := [point.value for point, row in rows if not isinstance(row, kind)]:
        raise TypeError(f"Entry points of {group} must be objects of {kind.__name__}: {', '.join(wrong)}.")
    return [row for _, row in rows]


@cache
def _groups() -> set[str]:
    """Return those of the groups that an installed package has."""
    files = [file for folder in sys.path for file in Path(folder).glob("*.dist-info/entry_points.txt")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return {group for group in (LANGUAGES, LAYOUTS) if any(f"[{group}]" in text for text in texts)}
