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
from submissions.archives.limits import Limits

if TYPE_CHECKING:
    from submissions.archives.layouts.listing import Listing
    from submissions.archives.layouts.places import Place

# With fewer other folders, those of a course may be parts of what students handed in.
MIN_STUDENTS = 2
# Characters that the name of a submission has at most, as a path has.
NAME_CHARACTERS = Limits().path_length


def _score(listing: Listing) -> float:
    return FITS_LESS if any("/" in path for path in listing.paths) else FITS_NOT


def _course_folders(listing: Listing, root: str, children: dict[str, bool]) -> set[str]:
    """Return the folders that were handed out beside those of the students."""
    handed_out = {name for name in children if children[name] and name.lower() in COURSE_FOLDERS}
    students = sum(children.values()) - len(handed_out)
    return set() if students < MIN_STUDENTS or is_project(listing.paths, root) else handed_out


def _file_submission(name: str, taken: set[str]) -> str:
    """Return a name for the submission of a file beside a folder of its name; add it to the names `taken`."""
    number, unique = 1, name
    while unique in taken:
        end = " (file)" if number == 1 else f" (file {number})"
        unique, number = name[: NAME_CHARACTERS - len(end)] + end, number + 1
    taken.add(unique)
    return unique


def _place(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    children = children_of(listing.paths, root)
    handed_out = _course_folders(listing, root, children)
    taken = set(children)
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, slash, inner = path[len(root) :].partition("/")
        if not slash:
            places[path] = one_student(_file_submission(name, taken) if children[name] else name, name)
        elif name in handed_out:
            places[path] = Ignored(f"in the folder {name} beside those of the students, so handed out")
        else:
            places[path] = one_student(name, inner)
    return places


FOLDERS = Layout("folders", "a folder or file for each student", _score, _place)
