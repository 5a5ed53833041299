"""Find the names that a layout gives in paths, and parse names of people, times and records of platforms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from submissions.intake import sentences as reasons
from submissions.intake.layouts.places import Ignored, Layout, Listing, Place, Placement, Student
from submissions.intake.limits import outside_time

Places = dict[str, Place]
# From a path to the name of a layout in it.
Finder = Callable[[str], "MatchedName | None"]

TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d)[:_.-](\d\d)[:_.-](\d\d)(?:[.,]\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?", re.ASCII
)
# The first year from which an export can be.
FIRST_PLATFORM = 1980
QUOTED = re.compile(r"""\s*(?:'(?P<single>(?:[^']|'')*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\Z""")
HEX_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})")
# A question has a number or one letter; folders of teams or of parts of a program have other names.
QUESTION = re.compile(
    r"(?:question|q|frage|pregunta|exercise|ex|aufgabe|ejercicio|problem|problema|task|item|week|woche|semana"
    r"|lab|sheet|blatt|hoja|homework|hw)"
    r"[ _.-]*(?P<number>\d{1,3}|[a-z])(?:[ _.:-].*)?",
    re.IGNORECASE,
)

LISTS = (".csv", ".tsv", ".xls", ".xlsx", ".ods")
COURSE_FILES = frozenset({
    "makefile", "dockerfile", "readme", "readme.txt", "readme.md", "license", "license.txt", "index.html",
})  # fmt: skip
# If the students handed in programs, a file of these kinds is no student's file.
TEXTS = (
    ".md", ".rst", ".json", ".xml", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".properties", ".log", ".pdf",
    ".doc", ".docx", ".odt",
)  # fmt: skip
LOOSE = Ignored(reasons.LOOSE)
LOOSE_FILE = Ignored(reasons.LOOSE_FILE)

# Folders around the students: of an archive in the upload, of a section, of the assignment.
DEPTH = 3
# A layout fits only where at least this part of what lies side by side has its names.
MIN_SHARE = 0.5


def common_beginning(names: Collection[str]) -> str:
    """Return what all names begin with, up to a hyphen; without the hyphen."""
    first, last = min(names, default=""), max(names, default="")
    length = next((i for i, char in enumerate(first) if last[i : i + 1] != char), len(first))
    return first[:length].rpartition("-")[0]


def are_questions(names: Collection[str]) -> bool:
    """Return whether all names are of different questions, also after a test's name: `Quiz 1-Question 2`."""
    start = common_beginning(names)
    return _are_numbered(names) or _are_numbered([name.removeprefix(f"{start}-") for name in names])


def _are_numbered(names: Collection[str]) -> bool:
    matches = [QUESTION.fullmatch(name) for name in names]
    return len({match and match["number"] for match in matches} - {None}) == len(names)


def natural_name(name: str) -> str:
    """Return `Popescu, Bruno` as `Bruno Popescu`, with underscores as spaces."""
    last, comma, first = name.replace("_", " ").strip(" ,").partition(",")
    words = f"{first} {last}" if comma and "," not in first else f"{last}{comma}{first}"
    return " ".join(words.split())


def parse_digits(text: str) -> datetime | None:
    """Return the time whose digits are in `text` from year to second, with any separators; None if none."""
    digits = "".join(char for char in text if char in "0123456789")
    return _plausible(f"{digits[:8]}T{digits[8:14]}")


def parse_time(text: str) -> datetime | None:
    """Return a time with a date of ISO 8601, as in `2026-03-01 14:05:09.12 Z`; None if there is none."""
    match = TIME.match(text.strip())
    if not match:
        return None
    date, hour, minute, second, zone = match.groups()
    offset = {"Z": "+00:00", "UTC": "+00:00", None: ""}.get(zone, zone)
    return _plausible(f"{date}T{hour}:{minute}:{second}{offset}")


def _plausible(iso: str) -> datetime | None:
    """Return a time of ISO 8601; None if it is none, or of a year in which no platform was in use."""
    if "T24" in iso:  # no time before Python 3.14, where it is the next day
        return None
    time = outside_time(iso)
    return time if time and time.year >= FIRST_PLATFORM else None


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; None if it is broken or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_scalar(text: str) -> str:
    """Return the text of a YAML scalar on one line, quoted or not; empty for null and for broken ones."""
    match = QUOTED.match(text)
    if not match:
        plain = text.strip()
        return "" if plain in {"", "~", "null"} or plain[0] in "\"'[{&*!|>" else plain
    if match["double"] is None:
        return match["single"].replace("''", "'")
    value = parse_json('"' + HEX_ESCAPE.sub(r"\\u00\1", match["double"]) + '"')
    return value if isinstance(value, str) else ""


def is_loose(name: str, *, programs: bool) -> bool:
    """Return whether a file beside the folders is the course's; `programs`: whether students have any."""
    lower = name.lower()
    return lower in COURSE_FILES or lower.endswith(LISTS) or (programs and lower.endswith(TEXTS))


def have_programs(paths: Collection[str]) -> bool:
    """Return whether one of some files may be a program, by its name."""
    return any(not is_loose(path.rpartition("/")[2], programs=True) for path in paths)


def is_list(path: str) -> bool:
    """Return whether a file may list the students of a course, by its name."""
    return path.lower().endswith(LISTS)


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


def finder(*patterns: re.Pattern[str]) -> Finder:
    """Return a function that finds the first of the patterns that matches a path, as `find` does."""
    return lambda path: next((hit for pattern in patterns if (hit := find(pattern, path))), None)


def scored(by: Finder, records: Collection[str] = (), weight: float = 1.0) -> Callable[[Listing], float]:
    """Return the score of a layout: its weighted `share`."""
    return lambda listing: weight * share(listing, by, records)


def placed(by: Finder, place_one: Callable[[MatchedName], Place], label: str) -> Callable[[Listing], Places]:
    """Return a function that places the files of a listing as `place_each` does."""
    return lambda listing: place_each(listing.paths, by, place_one, label)


def share(listing: Listing, by: Finder, records: Collection[str] = ()) -> float:
    """Return the part of what lies side by side that has a name of a layout; 0 below MIN_SHARE.

    Files with the names `records`, which the platform adds, do not count.
    """
    matched = [(path, by(path)) for path in listing.sample if path.rpartition("/")[2] not in records]
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


def place_each(paths: Iterable[str], by: Finder, place_one: Callable[[MatchedName], Place], label: str) -> Places:
    """Return the place of each path by the name that is found in it; ignored if there is none."""
    places: dict[str, Place] = {}
    for path in paths:
        matched = by(path)
        places[path] = place_one(matched) if matched else unnamed(path, label)
    return places


def unnamed(path: str, label: str) -> Ignored:
    """Return the place of a file without a student's name."""
    name = path.rpartition("/")[2]
    if name.lower() in {"index.html", "readme.txt", "readme.md"}:
        return Ignored(reasons.PAGE_OF_LAYOUT.format(name=name, layout=label))
    return Ignored(reasons.UNNAMED.format(layout=label))


def by_name(key: str, label: str, student_names: re.Pattern[str], ignored: str = "") -> Layout:
    """Return the layout of a platform that puts all its information into the names of files.

    `student_names` is looked for as in `find`. Its groups are `name` and `id` of the student, `version` or
    `time` (ISO 8601) of the attempt, `part`, such as a question, which has attempts of its own, and `file`,
    the student's own part of the name. A path with the group `ignored` is left out; `ignored` is the reason.
    """
    by = finder(student_names)
    return Layout(key, label, scored(by), placed(by, partial(_place_named, ignored=ignored), label))


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
