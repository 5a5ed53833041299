"""Autolab: `bpopescu@example.edu_3_handin.c`, or a folder of that name for a packed handin.

autolab/Autolab, app/controllers/submissions_controller.rb, download_filename: e-mail address, version,
file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake.layouts.matching import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

NAME = re.compile(
    r"(?P<annotated>annotated_)?(?P<email>[^/@\s]+@[^/@_\s]+)_(?P<version>\d+)_(?P<file>[^/]+)(?=/|\Z)"
)


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find)


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "an Autolab download")


def _place_one(matched: MatchedName) -> Place:
    email = matched.match["email"]
    if matched.match["annotated"]:
        return Ignored("an annotated copy of a submission")
    student = Student(email.partition("@")[0], email)
    return Placement((student,), matched.path(matched.match["file"]), int(matched.match["version"]))


AUTOLAB = Layout("autolab", "an Autolab download", _score, _place)
