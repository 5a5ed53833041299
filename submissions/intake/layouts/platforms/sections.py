"""Sections of a class: folders that contain a folder for each of their students and no programs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from submissions.intake import reasons
from submissions.intake.layouts.fields import LOOSE, is_loose
from submissions.intake.layouts.places import Ignored, Layout
from submissions.intake.layouts.root import FITS, FITS_NOT, PROJECT_ENTRIES, one_student, root_of

if TYPE_CHECKING:
    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

# Least number of sections, and of folders in each on average.
MIN_FOLDERS = 2
# So many of the students' names occur in no other section; those of the parts of projects do.
MIN_DISTINCT = 0.8


def _score(listing: Listing) -> float:
    root = root_of(listing.paths)
    inner: set[tuple[str, str]] = set()
    for path in listing.paths:
        section, in_section, rest = path[len(root) :].partition("/")
        child, in_child, _ = rest.partition("/")
        if in_section and not in_child:
            if is_loose(child, programs=True):
                continue
            return FITS_NOT
        if in_child:
            inner.add((section, child))
    sections, children = {section for section, _ in inner}, {child for _, child in inner}
    if len(sections) < MIN_FOLDERS or len(inner) < MIN_FOLDERS * len(sections):
        return FITS_NOT
    parts = sum(child.lower() in PROJECT_ENTRIES for _, child in inner)
    fits = len(children) >= MIN_DISTINCT * len(inner) and parts * 2 < len(inner)
    return FITS if fits else FITS_NOT


def _place(listing: Listing) -> dict[str, Place]:
    """Place each folder in a section; students of one name in two sections have the section after it."""
    root = root_of(listing.paths)
    split = {path: path[len(root) :].split("/", 2) for path in listing.paths}
    students = {(parts[0], parts[1]) for parts in split.values() if len(parts) > MIN_FOLDERS}
    counts = Counter(name for _, name in students)
    places: dict[str, Place] = {}
    for path, parts in split.items():
        if len(parts) <= MIN_FOLDERS:
            beside = Ignored(reasons.BESIDE_FOLDERS)
            places[path] = LOOSE if is_loose(parts[-1], programs=True) else beside
        else:
            section, name, inner = parts
            places[path] = one_student(name if counts[name] == 1 else f"{name} ({section})", inner)
    return places


SECTIONS = Layout("sections", "sections with a folder for each student", _score, _place)
