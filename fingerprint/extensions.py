"""Rows that installed packages add to the tables of languages and layouts, by entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

LANGUAGES, LAYOUTS = "moss_server.languages", "moss_server.layouts"
Row = TypeVar("Row")


class ExtensionError(Exception):
    """An installed package adds a row that cannot be used."""


def added(
    group: str, make: Callable[[Any], Row], names: Callable[[Row], list[str]], own: Iterable[Row]
) -> tuple[Row, ...]:
    """Return the rows of a group, by the names of their entry points.

    make : makes a row of what an entry point names
    names : the names of a row, which no other row may have
    own : the rows of this service

    Raises
    ------
    ExtensionError
        an entry point cannot be loaded, is no row, or has a name of another row
    """
    if group not in _groups():
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load, and no one else needs it

    rows = list[Row]()
    taken = {name: "this service" for row in own for name in names(row)}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        package = f"the package {point.dist.name}" if point.dist else point.value
        try:
            row = make(point.load())
            of_row = names(row)
        except Exception as error:
            raise ExtensionError(f"{point.value} of {package} cannot be added to {group}: {error}") from error
        if name := next((name for name in of_row if name in taken), ""):
            raise ExtensionError(f"{name!r} of {package} is a name of {taken[name]} in {group}: choose another one.")
        taken |= dict.fromkeys(of_row, package)
        rows.append(row)
    return tuple(rows)


@cache
def _groups() -> set[str]:
    """Return those of the groups that an installed package has; `setup.py develop` makes folders `*.egg-info`."""
    files = [file for folder in sys.path for file in Path(folder).glob("*.*-info/entry_points.txt")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return {group for group in (LANGUAGES, LAYOUTS) if any(f"[{group}]" in text for text in texts)}
