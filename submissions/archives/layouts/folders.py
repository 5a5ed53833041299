"""A folder or a file for each student. A nested archive is a folder, so this is an archive a student, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.archives.layouts.places import Ignored, Layout
from submissions.archives.layouts.root import (
    COURSE_FOLDERS,
    FITS_LESS,
    FITS_NOT,
    children_of,
    is_project,
    one_student,
    root_of,
)

if TYPE_CHECKING:
    from submissions.archives.layouts.listing import Listing
    from submissions.archives.layouts.places import Place

# With fewer other folders, those of a course may be parts of what students handed in.
MIN_STUDENTS = 2


def _score(listing: Listing) -> float:
    return FITS_LESS if any("/" in path for path in listing.paths) else FITS_NOT


def _course_folders(listing: Listing, root: str, children: dict[str, bool]) -> set[str]:
    """Return the folders that were handed out beside those of the students."""
    handed_out = {name for name in children if children[name] and name.lower() in COURSE_FOLDERS}
    students = sum(children.values()) - len(handed_out)
    return set() if students < MIN_STUDENTS or is_project(listing.paths, root) else handed_out


def _place(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    children = children_of(listing.paths, root)
    handed_out = _course_folders(listing, root, children)
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, slash, inner = path[len(root) :].partition("/")
        if not slash:
            places[path] = one_student(f"{name} (file)" if children[name] else name, name)
        elif name in handed_out:
            places[path] = Ignored(f"in the folder {name} beside those of the students, so handed out")
        else:
            places[path] = one_student(name, inner)
    return places


FOLDERS = Layout("folders", "a folder or file for each student", _score, _place)
