"""ILIAS: `Popescu_Bruno_bpopescu_1234/Main.java`, or in the folder of a team, `Team 12/...`.

ILIAS-eLearning/ILIAS, class.ilExSubmission.php, getDirectoryNameFromUserData and downloadAllAssignmentFiles:
last and first name, login, number of the account; the word for a team is translated, except in German.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import MatchedName, find, place_each, share
from submissions.intake.layouts.places import Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

NAME = re.compile(r"(?:(?P<team>(?:Team|Equipo)[ _]\d+)/)?(?P<who>[^/_]*_[^/_]*_[^/]*_\d+)(?=/)")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    names = {matched.match["who"] for path in listing.sample if (matched := _find(path))}
    accounts = [name.rsplit("_", 2)[1:] for name in names]
    # Where names have a login or a number in common, these are no accounts: `lab_1_ada_2026`.
    distinct = all(len(set(column)) == len(names) for column in zip(*accounts, strict=True))
    return share(listing, _find) if distinct and len(names) > 1 else 0.0


def _place(listing: Listing) -> dict[str, Place]:
    return place_each(listing.paths, _find, _place_one, "an ILIAS export")


def _place_one(matched: MatchedName) -> Place:
    who = matched.match["who"]
    if team := matched.match["team"]:
        return Placement((Student(team.replace("_", " ")),), f"{who}/{matched.rest}")
    last, *first, login, _ = who.split("_")
    # A login may have a `_`; then nobody can say where the name ends.
    name = f"{first[0]} {last}" if len(first) == 1 else " ".join([last, *first])
    return Placement((Student(name, login),), matched.rest)


ILIAS = Layout("ilias", "an ILIAS export", _score, _place)
