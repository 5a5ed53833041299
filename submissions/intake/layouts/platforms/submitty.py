"""Submitty: `submissions/bpopescu/2/Main.java` with the active version in user_assignment_settings.json.

Submitty/Submitty, site/app/controllers/MiscController.php, downloadAssignedZips: the folders submissions,
checkout (work from a repository) and results, in each the user or team, then the version; of active
versions only, without the version and the settings, which are folders of one student each as anywhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import MatchedName, find, parse_json, place_each, share
from submissions.intake.layouts.places import Ignored, Layout, Placement, Student

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

SETTINGS = "user_assignment_settings.json"
NAME = re.compile(rf"(?P<user>[^/]+)/(?:(?P<version>\d+)(?=/)|{re.escape(SETTINGS)}\Z)")
RESULTS = re.compile(r"(?:.*/)?results(?:_public)?/")


def _find(path: str) -> MatchedName | None:
    return find(NAME, path)


def _score(listing: Listing) -> float:
    return share(listing, _find) if SETTINGS in listing.file_names else 0.0


def _place(listing: Listing) -> dict[str, Place]:
    active: dict[str, int] = {}
    for path in listing.file_names.get(SETTINGS, []):
        settings = parse_json(listing.read(path))
        version = settings.get("active_version") if isinstance(settings, dict) else None
        if isinstance(version, int) and (matched := _find(path)):
            active[matched.match["user"]] = version

    def place_one(matched: MatchedName) -> Place:
        user = matched.match["user"]
        if matched.match["version"] is None:
            return Ignored(reasons.SUBMITTY_SETTINGS)
        if RESULTS.fullmatch(matched.prefix):
            return Ignored(reasons.TEST_RESULTS)
        version, limit = int(matched.match["version"]), active.get(user)
        if limit == 0:
            return Ignored(reasons.CANCELLED, (Student(user, user),))
        if limit is not None and version > limit:
            return Ignored(reasons.OTHER_VERSION.format(version=version, chosen=limit))
        return Placement((Student(user, user),), matched.path(), version)

    return place_each(listing.paths, _find, place_one, "a Submitty download")


SUBMITTY = Layout(
    "submitty", "a Submitty download", _score, _place, reads=re.compile(r"(?:.*/)?" + re.escape(SETTINGS))
)
