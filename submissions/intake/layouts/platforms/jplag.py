"""Results of JPlag 6, `.jplag` or zip: the files of each submission, and a list of their names.

jplag/JPlag, reporting/reportobject: `files/ID/path`, and in submissionMappings.json the name of each ID.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import parse_json
from submissions.intake.layouts.places import CLASS_BYTES, Ignored, Layout, one_student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

LIST = "submissionMappings.json"
FILE = re.compile(r"files/(?P<id>[^/]+)/(?P<path>.+)")
# The second since the names of fields are those of Java.
FIELDS = ("submission_id_to_display_name", "submissionIds")


def _names(listing: Listing) -> tuple[str, dict[str, str]]:
    """Return the folder of the one list, and the names of submissions by their ids; equal ones with their id."""
    # A student's own file of this name is in a folder of the files, and says nothing.
    lists = [path for path in listing.file_names.get(LIST, []) if "/files/" not in f"/{path}"]
    content = parse_json(listing.read(lists[0])) if len(lists) == 1 else {}
    stated = content if isinstance(content, dict) else {}
    rows: dict[str, object] = next((stated[name] for name in FIELDS if isinstance(stated.get(name), dict)), {})
    names = {one: " ".join(name.split()) for one, name in rows.items() if isinstance(name, str) and name.strip()}
    having = Counter(names.values())
    names = {one: name if having[name] == 1 else f"{name} ({one})" for one, name in names.items()}
    return lists[0].removesuffix(LIST) if names else "", names


def _place(listing: Listing) -> dict[str, Place]:
    folder, names = _names(listing)
    return {path: _place_one(path.removeprefix(folder), names) for path in listing.paths}


def _place_one(path: str, names: dict[str, str]) -> Place:
    match = FILE.fullmatch(path)
    if not match or match["id"] not in names:
        return Ignored(reasons.JPLAG_REPORT)
    return one_student(names[match["id"]], match["path"])


JPLAG = Layout(
    "jplag",
    "a result of JPlag",
    lambda listing: float(any(not isinstance(place, Ignored) for place in _place(listing).values())),
    _place,
    reads=re.compile(r"(?:.*/)?submissionMappings\.json"),
    read_bytes=CLASS_BYTES,
)
