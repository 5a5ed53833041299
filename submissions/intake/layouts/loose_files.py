"""Files of a course beside the folders of its students: no work of one, unless they are programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.places import Ignored

if TYPE_CHECKING:
    from collections.abc import Collection

LISTS = (".csv", ".tsv", ".xls", ".xlsx", ".ods")
COURSE_FILES = frozenset({
    "makefile", "dockerfile", "readme", "readme.txt", "readme.md", "license", "license.txt", "index.html",
})  # fmt: skip
# Where the students handed in programs, files of these kinds are not handed in by one.
TEXTS = (".md", ".rst", ".json", ".xml", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".properties", ".log")
LOOSE = Ignored("beside the folders of the students, and no program")


def is_loose(name: str, *, programs: bool) -> bool:
    """Return whether a file beside the folders is the course's; `programs`: whether students have any."""
    lower = name.lower()
    return lower in COURSE_FILES or lower.endswith(LISTS) or (programs and lower.endswith(TEXTS))


def have_programs(paths: Collection[str]) -> bool:
    """Return whether one of some files may be a program, by its name."""
    return any(not is_loose(path.rpartition("/")[2], programs=True) for path in paths)


def is_list(path: str) -> bool:
    """Return whether a file may list the students of a course, by its name."""
    return path.lower().endswith(LISTS)
