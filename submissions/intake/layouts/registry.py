"""All layouts, and which of them fits an upload. To support a new one, add a row to LAYOUTS."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from fingerprint.extensions import LAYOUTS as GROUP, added
from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import by_name
from submissions.intake.layouts.places import Layout, Listing
from submissions.intake.layouts.platforms.folders import FILES, FOLDERS, PROJECT, QUESTIONS, SECTIONS
from submissions.intake.layouts.platforms.learning_platforms import (
    BLACKBOARD,
    BRIGHTSPACE,
    CANVAS,
    ILIAS,
    MOODLE,
    MOODLE_QUIZ,
    MOODLE_VPL,
    OPENOLAT,
    SAKAI,
)
from submissions.intake.layouts.platforms.programming_platforms import (
    ARTEMIS,
    DOLOS,
    DOMJUDGE,
    GITHUB,
    GRADESCOPE,
    JPLAG,
    NBGRADER,
    PUSHED,
    SUBMITTY,
)

# Paths whose limits are kept: they are asked for when an upload is listed, grouped and shown.
CACHED_PATHS = 50_000
# autolab/Autolab, app/controllers/submissions_controller.rb, download_filename: e-mail address, version,
# file; `bpopescu@example.edu_3_handin.c`, or a folder of that name for a packed handin.
AUTOLAB = by_name(
    "autolab",
    "an Autolab download",
    student_names=re.compile(
        r"(?P<ignored>annotated_)?(?P<id>(?P<name>[^/@\s]+)@[^/@_\s]+)_(?P<version>\d+)_"
        r"(?!.*_\d+_\d+_\d+_)(?P<file>[^/]+)(?=/|\Z)"  # those are of PrairieLearn
    ),
    ignored=reasons.ANNOTATED,
)
# PrairieLearn/PrairieLearn, instructorAssessmentDownloads.tsx, extractFilesForSubmissions: e-mail address,
# number of the assessment, question (its folders too), variant, submission of it and of all, file;
# `bpopescu@example.edu_1_area_1_3_90210_area.py`.
PRAIRIELEARN = by_name(
    "prairielearn",
    "a PrairieLearn download",
    student_names=re.compile(
        r"(?P<id>(?P<name>[^/@\s]+)@[^/@_\s]+)_\d+_(?P<part>(?>(?:[^_\n]++|(?!_\d+_\d+_\d+_)_)+))_\d+_\d+_"
        r"(?P<version>\d+)_(?P<file>[^/]+)(?=/|\Z)"
    ),
)
# CodeGra-de/CodeGra.fs, codegra_fs/cgfs.py, load_submissions: the name, and when it was handed in, with other
# characters for colons on some systems; `Bruno Popescu - 2026-03-01T14:05:09.123456/Main.java`.
CODEGRADE = by_name(
    "codegrade",
    "a CodeGrade folder",
    student_names=re.compile(r"(?P<name>[^/]+?) - (?P<time>\d{4}-\d\d-\d\d[ T]\d\d[:_.-]\d\d[:_.-]\d\d[^/ ]*)(?=/)"),
)
# Six programs on GitHub that unpack its downloads: last and first name, id of the student; one folder a
# revision; `Popescu, Bruno - 20261234/Revision 2 - Late/Main.java`.
SCHOOLOGY = by_name(
    "schoology",
    "a Schoology download",
    student_names=re.compile(r"(?P<name>[^/,]+,[^/]+) - (?P<id>[^/ ]+)/Revision (?P<version>\d+)(?: - [^/]*)?(?=/)"),
)
# openedx/edx-ora2, openassessment/data.py, OraDownloadData: a folder a unit, the number of the task in it,
# login, file; `[1]Week 1, [2]Loops, [1]Lab/[1] - bpopescu - main.py`, and submissions.csv.
OPEN_EDX = by_name(
    "open-edx",
    "an Open edX download",
    student_names=re.compile(
        r"(?P<part>(?:\[\d+\][^/]*|Removed from course)/\[(?:\d+|x)\]) - "
        r"(?P<name>(?! - )[^/]+?) - (?P<file>[^/]+)(?=/|\Z)"
    ),
)


def _as_layout(row: object) -> Layout:
    if not isinstance(row, Layout):
        raise TypeError("it is no Layout")
    return row


_PLATFORMS = (
    MOODLE, MOODLE_VPL, MOODLE_QUIZ, CANVAS, BLACKBOARD, BRIGHTSPACE, SAKAI, GRADESCOPE, SUBMITTY, PRAIRIELEARN,
    AUTOLAB, CODEGRADE, SCHOOLOGY, OPEN_EDX, OPENOLAT, ILIAS, NBGRADER, DOMJUDGE, ARTEMIS, GITHUB, PUSHED, DOLOS, JPLAG,
)  # fmt: skip
_PLAIN = (PROJECT, QUESTIONS, SECTIONS, FOLDERS, FILES)
_ADDED = added(GROUP, _as_layout, lambda layout: [layout.key], (*_PLATFORMS, *_PLAIN))
# Of layouts with the same score, the first is chosen.
LAYOUTS = {layout.key: layout for layout in (*_PLATFORMS, *_ADDED, *_PLAIN)}

_METADATA = [layout for layout in LAYOUTS.values() if layout.reads]


class Ranked(NamedTuple):
    """A layout and how well it fits, from 0 to 1."""

    layout: Layout
    score: float


def recognise(listing: Listing) -> list[Ranked]:
    """Return all layouts, the one that fits best first. The last five of LAYOUTS fit any upload."""
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
