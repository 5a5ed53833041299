"""Two courses of different owners that take part in the department's archive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.db.models import Q
from django.utils import timezone

from submissions import actions
from submissions.actions import shares
from submissions.models import Assignment, Course, Report
from tests.support.every_page import World, course_people
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import register_boilerplate
from tests.support.withheld import OLD_WORK, Sealed

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from tests.support.uploads import Committing, HandIn


@dataclass(frozen=True, slots=True)
class Department:
    """Alice's class, which is compared with the archive, and Bob's old assignment, which is in it."""

    assignment: Assignment
    old: Assignment
    hand_in: HandIn
    committing: Committing

    def rank(self) -> Report:
        """Rank the class again; return the new report as it is stored."""
        with self.committing(execute=True):
            actions.rerank(self.assignment)
        return self.report

    @property
    def report(self) -> Report:
        return Report.objects.filter(assignment=self.assignment, state=Report.State.DONE).latest("pk")

    def old_names(self) -> set[str]:
        """Return the names of the old submissions in the newest report, without their labels."""
        copies = self.report.submissions.filter(batch__role="other")
        return {name.partition(" (")[0] for name in copies.values_list("name", flat=True)}


@pytest.fixture
def department(
    alice: User,
    bob: User,
    assignment: Assignment,
    hand_in: HandIn,
    django_capture_on_commit_callbacks: Committing,
) -> Department:
    """Return a class that is to be compared with the archive, and was not ranked yet."""
    course = Course.objects.create(owner=bob, name="Sealed course", in_archive=True)
    old = Assignment.objects.create(course=course, name="Sealed lab", term="michaelmas")
    with django_capture_on_commit_callbacks(execute=True):
        actions.create_batch(old, bob, [zipped(OLD_WORK, "sealed.zip")])
    assignment.course.in_archive = assignment.compare_archive = True
    assignment.course.save()
    assignment.save()
    return Department(assignment, old, hand_in, django_capture_on_commit_callbacks)


@pytest.fixture
def archived(department: Department, alice: User) -> Sealed:
    """Return a class with a pair with the work of a course of somebody else."""
    assignment = department.assignment
    register_boilerplate(assignment, loose("starter.py", STARTER))
    batch = department.hand_in(zipped(CLASS))
    report = department.report
    theirs = Q(left__name__startswith="zacharias") | Q(right__name__startswith="zacharias")
    world = World(
        alice,
        assignment,
        batch,
        assignment.boilerplate.get(),
        report,
        report.pairs.filter(theirs)[0],
        shares.create_share(assignment, alice, timezone.now() + timedelta(days=1)),
        *course_people(assignment.course),
    )
    return Sealed(world, department.old, report)
