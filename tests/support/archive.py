"""Two courses of different owners that take part in the department's archive."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment, Course, Report
from submissions.uploads.change import create_batch, rerank
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import Committing, HandIn, register_boilerplate
from tests.support.withheld import OLD_WORK, Sealed, sealed_of


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
            rerank(self.assignment)
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

    def store() -> None:
        course = Course.objects.create(owner=bob, name="Sealed course", in_archive=True)
        old = Assignment.objects.create(course=course, name="Sealed lab", term="michaelmas")
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(old, bob, [zipped(OLD_WORK, "sealed.zip")])

    stored("the archive", store)
    old = Assignment.objects.get(name="Sealed lab")
    assignment.course.in_archive = assignment.compare_archive = True
    assignment.course.save()
    assignment.save()
    return Department(assignment, old, hand_in, django_capture_on_commit_callbacks)


@pytest.fixture
def archived(department: Department) -> Sealed:
    """Return a class with a pair with the work of a course of somebody else."""
    assignment = department.assignment

    def store() -> None:
        register_boilerplate(assignment, loose("starter.py", STARTER))
        department.hand_in(zipped(CLASS))

    stored("a class with a pair of the archive", store)
    return sealed_of(assignment)
