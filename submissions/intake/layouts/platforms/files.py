"""A file for each student, in one folder or, if chosen, in any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import LOOSE_FILE, have_programs, is_loose
from submissions.intake.layouts.places import Layout
from submissions.intake.layouts.root import (
    FITS,
    FITS_NOT,
    MIN_STUDENTS,
    one_student,
    root_of,
    without_common_parts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place


def _score(listing: Listing) -> float:
    root = root_of(listing.paths)
    return FITS_NOT if any("/" in path[len(root) :] for path in listing.paths) else FITS


def _place(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    loose = _loose_files(listing.paths, root)
    names = without_common_parts([path[len(root) :] for path in listing.paths if path not in loose])
    places: dict[str, Place] = dict.fromkeys(loose, LOOSE_FILE)
    for path in listing.paths:
        if path not in loose:
            places[path] = one_student(names[path[len(root) :]], path.rpartition("/")[2])
    return places


def _loose_files(paths: Sequence[str], root: str) -> set[str]:
    """Return the lists and files of the course in `root` where the others are programs or texts."""
    files = {path for path in paths if "/" not in path[len(root) :]}
    loose = {path for path in files if is_loose(path[len(root) :], programs=False)}
    others = files - loose
    return loose if len(others) >= MIN_STUDENTS and have_programs(others) else set()


FILES = Layout("files", "a file for each student", _score, _place)
