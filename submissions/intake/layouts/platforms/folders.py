"""A folder or a file for each student. A nested archive is a folder, so this is an archive a student, too."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, partial
from typing import TYPE_CHECKING

from submissions.intake import reasons
from submissions.intake.layouts.fields import LOOSE, have_programs, is_loose
from submissions.intake.layouts.places import Ignored, Layout
from submissions.intake.layouts.root import (
    FITS_LESS,
    FITS_NOT,
    MIN_STUDENTS,
    FolderOrFile,
    children_of,
    course_folders,
    distinct_names,
    one_student,
    root_of,
    without_common_parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place


def _score(listing: Listing) -> float:
    return FITS_LESS if any("/" in path for path in listing.paths) else FITS_NOT


def _place(listing: Listing, depth: int = 1) -> dict[str, Place]:
    root = root_of(listing.paths)
    places, units = _units(listing.paths, root, depth)
    names = distinct_names(set(units.values()), root)
    short = without_common_parts(names.values())
    for path, unit in units.items():
        inner = path[len(unit.path) + 1 :] or path.rpartition("/")[2]
        places[path] = one_student(short[names[unit]], inner)
    return places


def _units(paths: Iterable[str], root: str, depth: int) -> tuple[dict[str, Place], dict[str, FolderOrFile]]:
    """Return what is ignored of the sorted `paths` in a folder, and what each other one is a part of."""
    paths = list(paths)
    children = children_of(paths, root)
    handed_out = course_folders(paths, root, children)
    loose = _loose_files(paths, root, children)
    ignored: dict[str, Place] = {}
    units: dict[str, FolderOrFile] = {}
    deeper: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        name, slash, _ = path[len(root) :].partition("/")
        if slash and name in handed_out:
            ignored[path] = Ignored(reasons.OF_THE_COURSE.format(name=name))
        elif depth == 1 and not slash and name in loose:
            ignored[path] = LOOSE
        elif depth == 1:
            units[path] = FolderOrFile(root + name, bool(slash))
        elif slash:
            deeper[name].append(path)
        else:
            ignored[path] = Ignored(reasons.BESIDE_DEEPER_FOLDERS)
    for name, inside in deeper.items():
        more_ignored, more_units = _units(inside, f"{root}{name}/", depth - 1)
        ignored |= more_ignored
        units |= more_units
    return ignored, units


def _loose_files(paths: list[str], root: str, children: dict[str, bool]) -> set[str]:
    """Return the names of the files beside the folders of students that are no work of one."""
    files = [name for name, is_folder in children.items() if not is_folder]
    if not files or len(children) - len(files) < MIN_STUDENTS:
        return set()
    programs = have_programs([path for path in paths if "/" in path[len(root) :]])
    return {name for name in files if is_loose(name, programs=programs)}


FOLDERS = Layout("folders", "a folder or file for each student", _score, _place)


@cache
def folders_at(depth: int) -> Layout:
    """Return the layout with a student for each folder or file at a depth, from 1."""
    label = FOLDERS.label if depth == 1 else f"a folder or file at depth {depth} for each student"
    return Layout(FOLDERS.key, label, _score, partial(_place, depth=depth))
