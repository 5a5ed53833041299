"""One of everything that a page can be about, and the address of every page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.urls import URLPattern, reverse
from django.utils import timezone

from moss.commands.demo import SAMPLE, sample_zip
from submissions import actions
from submissions.actions import shares
from submissions.models import Assignment, Batch, Boilerplate, Pair, Report, Share
from submissions.pages import urls
from tests.support.sample_class import loose

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from tests.support.uploads import HandIn

# Pages of people who are signed in, by the names of their addresses.
PAGES = (
    "courses",
    "course",
    "rename_course",
    "delete_course",
    "assignment",
    "assignment_settings",
    "delete_assignment",
    "batch",
    "delete_batch",
    "pair",
    "submission",
    "exports",
    "export_pair",
    "shares",
)
# What stands in a page, what is kept as a file, and what leads elsewhere.
FRAGMENTS = ("activity", "batch_progress")
FILES = ("table",)
REDIRECTS = ("next_undecided",)
# Open to whoever has the link.
PUBLIC = ("shared", "shared_pair")


@dataclass(frozen=True, slots=True)
class World:
    """Alice's assignment with the sample class in it, ranked."""

    owner: User
    assignment: Assignment
    batch: Batch
    boilerplate: Boilerplate
    report: Report
    pair: Pair
    share: Share


@pytest.fixture
def world(alice: User, assignment: Assignment, hand_in: HandIn) -> World:
    starter = (SAMPLE / "starter" / "fines.py").read_bytes()
    actions.add_boilerplate(assignment, [loose("fines.py", starter)])
    batch = hand_in(loose("fines.zip", sample_zip()))
    report = assignment.reports.get(state=Report.State.DONE)
    share = shares.create_share(assignment, alice, timezone.now() + timedelta(days=1))
    boilerplate = assignment.boilerplate.get()
    return World(alice, assignment, batch, boilerplate, report, report.pairs.all()[0], share)


def patterns() -> dict[str, URLPattern]:
    """Every address of the app, by its name."""
    return {str(one.name): one for one in urls.urlpatterns}


def address(world: World, name: str) -> str:
    """Give the address called `name` of what is in the world."""
    return reverse(name, kwargs=_parts(world, patterns()[name]))


def addresses(world: World) -> dict[str, str]:
    return {name: address(world, name) for name in patterns()}


def _parts(world: World, pattern: URLPattern) -> dict[str, object]:
    route = str(pattern.pattern)
    things = {
        "courses": world.assignment.course.pk,
        "assignments": world.assignment.pk,
        "batches": world.batch.pk,
        "boilerplate": world.boilerplate.pk,
        "shares": world.share.pk,
    }
    known = {
        "pk": things.get(route.partition("/")[0]),
        "left_id": world.pair.left_id,
        "right_id": world.pair.right_id,
        "submission_id": world.pair.left_id,
        "name": "pairs",
        "suffix": "csv",
        "token": shares.share_token(world.share),
    }
    return {part: known[part] for part in pattern.pattern.converters}
