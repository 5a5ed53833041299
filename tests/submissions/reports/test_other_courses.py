"""Assignments of somebody else's course."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment, Report
from tests.submissions.reports.test_other_assignments import OLD, compare, hand_in_old  # noqa: F401 - fixtures
from tests.support.sample_class import HONEST, RENAMED, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services


@pytest.mark.long
def test_an_assignment_of_somebody_elses_course_is_never_compared(
    assignment: Assignment,
    bob: User,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],  # noqa: F811
    compare: Callable[..., Report],  # noqa: F811
) -> None:
    old = hand_in_old(OLD)
    hand_in(zipped({"ben/m.py": RENAMED, "cleo/m.py": HONEST}))
    assignment.compared_with.add(old)
    course = old.course
    other = type(course).objects.create(owner=bob, name="Bob's")
    Assignment.objects.filter(pk=old.pk).update(course=other)
    report = compare(old)
    assert set(report.submissions.values_list("name", flat=True)) == {"ben", "cleo"}
