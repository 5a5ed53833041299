"""Names of people, times and records, in the forms that platforms write them."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from submissions.intake import reasons
from submissions.intake.layouts.places import Ignored

if TYPE_CHECKING:
    from collections.abc import Collection

TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d)[:_.-](\d\d)[:_.-](\d\d)(?:[.,]\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?", re.ASCII
)
FIRST_YEAR, LAST_YEAR = 1980, 9000
QUOTED = re.compile(r"""\s*(?:'(?P<single>(?:[^']|'')*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\Z""")
HEX_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})")
# A question has a number or one letter; folders of teams or of parts of a program have other names.
QUESTION = re.compile(
    r"(?:question|q|frage|pregunta|exercise|ex|aufgabe|ejercicio|problem|problema|task|item|week|woche|semana"
    r"|lab|sheet|blatt|hoja|homework|hw)"
    r"[ _.-]*(?P<number>\d{1,3}|[a-z])(?:[ _.:-].*)?",
    re.IGNORECASE,
)


def common_beginning(names: Collection[str]) -> str:
    """Return what all names begin with, up to a hyphen; without the hyphen."""
    first, last = min(names, default=""), max(names, default="")
    length = next((i for i, char in enumerate(first) if last[i : i + 1] != char), len(first))
    return first[:length].rpartition("-")[0]


def are_questions(names: Collection[str]) -> bool:
    """Return whether all names are of different questions, also after that of a test: `Quiz 1-Question 2`."""
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
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return None
    if "T24" in iso:  # no time before Python 3.14, where it is the next day
        return None
    return time if FIRST_YEAR <= time.year <= LAST_YEAR else None


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


LISTS = (".csv", ".tsv", ".xls", ".xlsx", ".ods")
COURSE_FILES = frozenset({
    "makefile", "dockerfile", "readme", "readme.txt", "readme.md", "license", "license.txt", "index.html",
})  # fmt: skip
# Where the students handed in programs, files of these kinds are not handed in by one.
TEXTS = (
    ".md", ".rst", ".json", ".xml", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".properties", ".log", ".pdf",
    ".doc", ".docx", ".odt",
)  # fmt: skip
LOOSE = Ignored(reasons.LOOSE)
LOOSE_FILE = Ignored(reasons.LOOSE_FILE)


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
