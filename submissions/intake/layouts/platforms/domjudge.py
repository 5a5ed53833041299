"""DOMjudge: `submissions/123/files/main.cpp`, with teams and times in submissions.json and teams.json.

DOMjudge/domjudge, misc-tools/export-contest.in: the answers of the contest API in a file each, and the
archive files.zip of each submission. A team may solve several problems; of each the last submission
counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, parse_json, parse_time, place_each, share
from submissions.intake.layouts.places import CLASS_BYTES, Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(r"submissions/(?P<id>[^/]+)/(?:files/)?(?=[^/])")
DATA = re.compile(r"(?:.*/)?(?P<kind>[a-z-]+)\.(?:nd)?json")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    if "submissions.json" not in listing.file_names:
        return 0.0
    return share(listing, lambda path: _find(path) or (find(DATA, path) if DATA.fullmatch(path) else None))


def _rows(listing: Listing, name: str) -> dict[str, dict[str, object]]:
    """Return the records of the files of a name, by their ids."""
    texts = (listing.read(path) for path in listing.file_names.get(name, []))
    lists = (rows for text in texts if isinstance(rows := parse_json(text), list))
    return {str(row["id"]): row for rows in lists for row in rows if isinstance(row, dict) and "id" in row}


def _place(listing: Listing) -> dict[str, Place]:
    submissions, teams = _rows(listing, "submissions.json"), _rows(listing, "teams.json")
    problems = _rows(listing, "problems.json")

    def place_one(matched: MatchedName) -> Place:
        row = submissions.get(matched.match["id"], {})
        team = str(row.get("team_id", f"submission {matched.match['id']}"))
        record = teams.get(team, {})
        name = str(record.get("display_name") or record.get("name") or team)
        time = parse_time(str(row.get("time", "")))
        problem = str(row.get("problem_id", ""))
        label = str(problems.get(problem, {}).get("label") or problem).replace("/", "-")
        return Placement((Student(name, team),), matched.path(label), time, time, part=problem)

    places = place_each(listing.paths, _find, place_one, "a DOMjudge export")
    data = [path for path in listing.paths if DATA.fullmatch(path) and not _find(path)]
    return places | {path: Ignored(reasons.DOMJUDGE_DATA) for path in data}


DOMJUDGE = Layout(
    "domjudge",
    "a DOMjudge export",
    _score,
    _place,
    reads=re.compile(r"(?:.*/)?(?:submissions|teams|problems)\.json"),
    read_bytes=CLASS_BYTES,
)
