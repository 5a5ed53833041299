"""Find the names that a layout gives, in whichever of the first folders of a path they begin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake import reasons
from submissions.intake.layouts.fields import natural_name, parse_time
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable

    from submissions.intake.layouts.listing import Listing
    from submissions.intake.layouts.places import Place

# Folders around the students: of an archive in the upload, of a section, of the assignment.
DEPTH = 3
# A layout fits only where at least this part of what lies side by side has its names.
MIN_SHARE = 0.5


class MatchedName(NamedTuple):
    """A name of a layout in a path: the folders before it, the match, and the path after it."""

    prefix: str
    match: re.Match[str]
    rest: str

    @property
    def unit(self) -> str:
        """Path of the matched file or folder."""
        return self.prefix + self.match[0]

    def path(self, first: str = "") -> str:
        """Return the path in the submission: `first`, a part of the matched name, and what follows it."""
        return "/".join(part for part in (first, self.rest) if part)


def find(pattern: re.Pattern[str], path: str) -> MatchedName | None:
    """Return the first match of `pattern` that begins at one of the first components of `path`."""
    start = 0
    for _ in range(DEPTH + 1):
        match = pattern.match(path, start)
        if match:
            return MatchedName(path[:start], match, path[match.end() :].lstrip("/"))
        start = path.find("/", start) + 1
        if not start:
            break
    return None


def share(
    listing: Listing, finder: Callable[[str], MatchedName | None], records: Collection[str] = ()
) -> float:
    """Return the part of what lies side by side that has a name of a layout; 0 below MIN_SHARE.

    Files with the names `records`, which the platform adds, do not count.
    """
    matched = [(path, finder(path)) for path in listing.sample if path.rpartition("/")[2] not in records]
    units = {hit.unit for _, hit in matched if hit}
    if not units:
        return 0.0
    prefixes = {hit.prefix for _, hit in matched if hit}
    others = {_sibling(path, prefixes) for path, hit in matched if hit is None}
    part = len(units) / (len(units) + len(others))
    return part if part >= MIN_SHARE else 0.0


def _sibling(path: str, prefixes: set[str]) -> str:
    """Return the beginning of `path` that lies beside the matched names."""
    best, start = "", 0
    for _ in range(DEPTH):
        start = path.find("/", start) + 1
        if not start:
            break
        if path[:start] in prefixes:
            best = path[:start]
    return best + path[len(best) :].partition("/")[0]


def place_each(
    paths: Iterable[str],
    finder: Callable[[str], MatchedName | None],
    place_one: Callable[[MatchedName], Place],
    label: str,
) -> dict[str, Place]:
    """Return the place of each path by the name that is found in it; ignored if there is none."""
    places: dict[str, Place] = {}
    for path in paths:
        matched = finder(path)
        places[path] = place_one(matched) if matched else unnamed(path, label)
    return places


def unnamed(path: str, label: str) -> Ignored:
    """Return the place of a file without a student's name."""
    name = path.rpartition("/")[2]
    if name.lower() in {"index.html", "readme.txt", "readme.md"}:
        return Ignored(reasons.PAGE_OF_LAYOUT.format(name=name, layout=label))
    return Ignored(reasons.UNNAMED.format(layout=label))


def by_name(key: str, label: str, student_names: re.Pattern[str], ignored: str = "") -> Layout:
    """Return the layout of a platform that says in the names of its files all that it says.

    `student_names` is looked for as in `find`. Its groups are `name` and `id` of the student, `version` or
    `time` (ISO 8601) of the attempt, `part`, such as a question, which has attempts of its own, and `file`,
    the student's own part of the name. A path with the group `ignored` is left out for that reason.
    """

    def finder(path: str) -> MatchedName | None:
        return find(student_names, path)

    return Layout(
        key,
        label,
        lambda listing: share(listing, finder),
        lambda listing: place_each(listing.paths, finder, partial(_place_named, ignored=ignored), label),
    )


def _place_named(matched: MatchedName, ignored: str) -> Place:
    groups = {name: text for name, text in matched.match.groupdict().items() if text}
    if "ignored" in groups:
        return Ignored(ignored)
    time = parse_time(groups.get("time", ""))
    attempt = int(groups["version"]) if "version" in groups else time
    name = groups["name"]
    student = Student(natural_name(name) if "," in name else name, groups.get("id", ""))
    part, file = groups.get("part", ""), groups.get("file", "")
    path = "/".join(name for name in (part, matched.path(file)) if name)
    return Placement((student,), path, attempt, time, part)
