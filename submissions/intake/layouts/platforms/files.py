"""A file for each student, in one folder or, if chosen, in any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.places import Layout
from submissions.intake.layouts.root import FITS, FITS_NOT, one_student, root_of, without_common_parts

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place


def _score(listing: Listing) -> float:
    root = root_of(listing.paths)
    return FITS_NOT if any("/" in path[len(root) :] for path in listing.paths) else FITS


def _place(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    names = without_common_parts([path[len(root) :] for path in listing.paths])
    return {path: one_student(names[path[len(root) :]], path.rpartition("/")[2]) for path in listing.paths}


FILES = Layout("files", "a file for each student", _score, _place)
