"""One project: all files are one submission, named after the outermost folder, else after the upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.places import Layout
from submissions.intake.layouts.root import FITS, FITS_NOT, children_of, is_project, one_student, root_of

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place


def _score(listing: Listing) -> float:
    if len(listing.paths) == 1:
        return FITS if "/" in listing.paths[0] else FITS_NOT
    root = root_of(listing.paths)
    named = root or (listing.name and any(children_of(listing.paths, root).values()))
    return FITS if named and is_project(listing.paths, root) else FITS_NOT


def _place(listing: Listing) -> dict[str, Place]:
    if len(listing.paths) > 1 and not root_of(listing.paths):
        return {path: one_student(listing.name or "project", path) for path in listing.paths}
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, _, inner = path.partition("/")
        places[path] = one_student(name, inner or name)
    return places


PROJECT = Layout("project", "one project", _score, _place)
