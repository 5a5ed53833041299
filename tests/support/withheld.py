"""A class with a match in another course of its owner, which most of its readers may not open."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpResponse

from submissions.models import Assignment, Course, Pair, Report
from submissions.uploads.change import create_batch
from tests.support.every_page import World, world_of
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, COPIED, STARTER, loose, zipped
from tests.support.uploads import Committing, HandIn, register_boilerplate

# What only the other course has: names of students and files, a line of code, the course itself.
SECRETS = ("zacharias", "yvonne", "hidden_notes", "quiet_file", "planted_marker", "sealed", "michaelmas")
OLD_WORK = {
    "zacharias/hidden_notes.py": f"{COPIED}\nplanted_marker = 4711\n",
    # The same bytes as those of a student of the class.
    "yvonne/quiet_file.py": CLASS["ada/main.py"],
}


@dataclass(frozen=True, slots=True)
class Sealed:
    """A class that was compared with `old`, of another course; the pair of the world is withheld."""

    world: World
    old: Assignment
    report: Report

    @property
    def withheld(self) -> Pair:
        return self.world.pair


@pytest.fixture
def sealed(
    alice: User, assignment: Assignment, hand_in: HandIn, django_capture_on_commit_callbacks: Committing
) -> Sealed:
    """Return a class with a pair with the work of another course of its owner."""

    def store() -> None:
        course = Course.objects.create(owner=alice, name="Sealed course")
        old = Assignment.objects.create(course=course, name="Sealed lab", term="michaelmas")
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(old, alice, [zipped(OLD_WORK, "sealed.zip")])
        register_boilerplate(assignment, loose("starter.py", STARTER))
        assignment.compared_with.add(old)
        hand_in(zipped(CLASS))

    stored("a class with a pair of another course", store)
    return sealed_of(assignment)


def sealed_of(assignment: Assignment) -> Sealed:
    """Return a ranked class that was compared with the sealed lab."""
    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    theirs = Q(left__name__startswith="zacharias") | Q(right__name__startswith="zacharias")
    world = world_of(assignment, report.pairs.filter(theirs)[0])
    return Sealed(world, Assignment.objects.get(name="Sealed lab"), report)


def secrets_in(response: HttpResponse) -> list[str]:
    """Return the secrets of the other course that a response has, its headers included."""
    content = response.getvalue() if response.streaming else response.content
    text = (content.decode(errors="replace") + str(response.headers)).casefold()
    return [secret for secret in SECRETS if secret in text]
