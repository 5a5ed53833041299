"""The folder whose entries are the students, where a layout has no names of its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from submissions.archives.layouts.places import Placement, Student

if TYPE_CHECKING:
    from collections.abc import Sequence

# A folder that mostly contains these is the project of one student, not a class of submissions.
PROJECT_ENTRIES = frozenset({
    "src", "test", "tests", "lib", "include", "docs", "doc", "main", "__init__.py", "makefile",
    "pom.xml", "build.gradle", "build.gradle.kts", "cmakelists.txt", "package.json", "cargo.toml",
    "go.mod", "setup.py", "pyproject.toml",
})  # fmt: skip
# Folders that a course hands out beside those of its students.
COURSE_FOLDERS = frozenset({"test", "tests", "lib", "include", "docs", "doc"})
# Folders in which the same file occurs are alike: that many of them, and that part of all, are a class.
MIN_ALIKE, MIN_ALIKE_SHARE = 2, 0.5
# Scores of the layouts without names of their own, below those of every platform.
FITS, FITS_LESS, FITS_NOT = 0.3, 0.2, 0.05


def one_student(name: str, path: str) -> Placement:
    """Return the place of a file of the submission `name`."""
    return Placement((Student(name),), path)


def root_of(paths: Sequence[str]) -> str:
    """Return the innermost folder around all of the sorted `paths`, with a slash at its end.

    Empty for the upload itself, and for a single path.
    """
    if len(paths) < 2:  # noqa: PLR2004 - one path has no entries side by side
        return ""
    first, last = paths[0].split("/")[:-1], paths[-1].split("/")[:-1]
    common = 0
    while common < min(len(first), len(last)) and first[common] == last[common]:
        common += 1
    return "".join(f"{name}/" for name in first[:common])


def children_of(paths: Sequence[str], root: str) -> dict[str, bool]:
    """Return the names directly in a folder, and whether each is a folder."""
    children: dict[str, bool] = {}
    for path in paths:
        name, slash, _ = path[len(root) :].partition("/")
        children[name] = children.get(name, False) or bool(slash)
    return children


def is_project(paths: Sequence[str], root: str) -> bool:
    """Return whether the entries of a folder are the parts of one project.

    They are not where the typical parts of projects are few beside other folders, or where these folders are
    alike, as those of a class are.
    """
    children = children_of(paths, root)
    parts = {name for name in children if name.lower() in PROJECT_ENTRIES}
    others = {name for name, is_folder in children.items() if is_folder and name not in parts}
    return bool(parts) and len(parts) * 2 >= len(others) and not _are_alike(paths, root, others)


def _are_alike(paths: Sequence[str], root: str, folders: set[str]) -> bool:
    files: Counter[str] = Counter()
    for path in paths:
        name, _, inner = path[len(root) :].partition("/")
        if name in folders and inner.rpartition("/")[2].lower() not in PROJECT_ENTRIES:
            files[inner] += 1
    most = max(files.values(), default=0)
    return most >= MIN_ALIKE and most >= MIN_ALIKE_SHARE * len(folders)
