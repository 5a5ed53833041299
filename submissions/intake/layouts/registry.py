"""All layouts, and which of them fits an upload. To support a new one, add an entry to LAYOUTS."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.layouts.artemis import ARTEMIS
from submissions.intake.layouts.autolab import AUTOLAB
from submissions.intake.layouts.blackboard import BLACKBOARD
from submissions.intake.layouts.brightspace import BRIGHTSPACE
from submissions.intake.layouts.canvas import CANVAS
from submissions.intake.layouts.codegrade import CODEGRADE
from submissions.intake.layouts.domjudge import DOMJUDGE
from submissions.intake.layouts.files import FILES
from submissions.intake.layouts.folders import FOLDERS
from submissions.intake.layouts.github import GITHUB
from submissions.intake.layouts.gradescope import GRADESCOPE
from submissions.intake.layouts.moodle import MOODLE
from submissions.intake.layouts.moodle_quiz import MOODLE_QUIZ
from submissions.intake.layouts.moodle_vpl import MOODLE_VPL
from submissions.intake.layouts.nbgrader import NBGRADER
from submissions.intake.layouts.project import PROJECT
from submissions.intake.layouts.pushed import PUSHED
from submissions.intake.layouts.sakai import SAKAI
from submissions.intake.layouts.sections import SECTIONS
from submissions.intake.layouts.submitty import SUBMITTY

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Layout

# Paths whose limits are kept: they are asked for when an upload is listed, grouped and shown.
CACHED_PATHS = 50_000
# Of layouts with the same score, the first is chosen.
LAYOUTS = {
    layout.key: layout
    for layout in (
        MOODLE, MOODLE_VPL, MOODLE_QUIZ, CANVAS, BLACKBOARD, BRIGHTSPACE, SAKAI, GRADESCOPE, SUBMITTY,
        AUTOLAB, CODEGRADE, NBGRADER, DOMJUDGE, ARTEMIS, GITHUB, PUSHED, PROJECT, SECTIONS, FOLDERS, FILES,
    )
}  # fmt: skip


_METADATA = [layout for layout in LAYOUTS.values() if layout.reads]


class Ranked(NamedTuple):
    """A layout and how well it fits, from 0 to 1."""

    layout: Layout
    score: float


def recognise(listing: Listing) -> list[Ranked]:
    """Return all layouts, the one that fits best first. The last four of LAYOUTS fit any upload."""
    ranked = [Ranked(layout, layout.score(listing)) for layout in LAYOUTS.values()]
    return sorted(ranked, key=lambda one: -one.score)


@lru_cache(CACHED_PATHS)
def metadata_limit(path: str) -> int:
    """Return how many bytes a file of this path may have that a layout reads; 0 if none reads it."""
    reading = (layout for layout in _METADATA if layout.reads and layout.reads.fullmatch(path))
    return max((layout.read_bytes for layout in reading), default=0)


def is_metadata(path: str) -> bool:
    """Return whether some layout may read a file of this path."""
    return metadata_limit(path) > 0
