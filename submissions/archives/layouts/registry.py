"""All layouts, and which of them fits an upload. To support a new one, add an entry to LAYOUTS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from submissions.archives.layouts.artemis import ARTEMIS
from submissions.archives.layouts.autolab import AUTOLAB
from submissions.archives.layouts.blackboard import BLACKBOARD
from submissions.archives.layouts.brightspace import BRIGHTSPACE
from submissions.archives.layouts.canvas import CANVAS
from submissions.archives.layouts.codegrade import CODEGRADE
from submissions.archives.layouts.domjudge import DOMJUDGE
from submissions.archives.layouts.files import FILES
from submissions.archives.layouts.folders import FOLDERS
from submissions.archives.layouts.github import GITHUB
from submissions.archives.layouts.gradescope import GRADESCOPE
from submissions.archives.layouts.moodle import MOODLE
from submissions.archives.layouts.moodle_quiz import MOODLE_QUIZ
from submissions.archives.layouts.moodle_vpl import MOODLE_VPL
from submissions.archives.layouts.nbgrader import NBGRADER
from submissions.archives.layouts.project import PROJECT
from submissions.archives.layouts.pushed import PUSHED
from submissions.archives.layouts.sakai import SAKAI
from submissions.archives.layouts.sections import SECTIONS
from submissions.archives.layouts.submitty import SUBMITTY

if TYPE_CHECKING:
    from submissions.archives.layouts.listing import Listing
    from submissions.archives.layouts.places import Layout

# Of layouts with the same score, the first is chosen.
LAYOUTS = {
    layout.key: layout
    for layout in (
        MOODLE, MOODLE_VPL, MOODLE_QUIZ, CANVAS, BLACKBOARD, BRIGHTSPACE, SAKAI, GRADESCOPE, SUBMITTY,
        AUTOLAB, CODEGRADE, NBGRADER, DOMJUDGE, ARTEMIS, GITHUB, PUSHED, PROJECT, SECTIONS, FOLDERS, FILES,
    )
}  # fmt: skip


_METADATA = re.compile("|".join(f"(?:{one.reads.pattern})" for one in LAYOUTS.values() if one.reads))


class Ranked(NamedTuple):
    """A layout and how well it fits, from 0 to 1."""

    layout: Layout
    score: float


def recognise(listing: Listing) -> list[Ranked]:
    """Return all layouts, the one that fits best first. The last four of LAYOUTS fit any upload."""
    ranked = [Ranked(layout, layout.score(listing)) for layout in LAYOUTS.values()]
    return sorted(ranked, key=lambda one: -one.score)


def is_metadata(path: str) -> bool:
    """Return whether some layout may read a file of this path."""
    return _METADATA.fullmatch(path) is not None
