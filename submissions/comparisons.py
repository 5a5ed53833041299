"""Queries for the assignments that one assignment is compared with, and for the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from submissions.models import Assignment, Batch, Submission

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.models import QuerySet


def compares(assignment: Assignment) -> bool:
    """Return whether other assignments may be looked up for an assignment."""
    return assignment.compare_course or assignment.compare_archive or assignment.compared_with.exists()


def compared_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the other assignments that were chosen for an assignment, all of courses of the same owner."""
    chosen = Q(compared_by=assignment)
    if assignment.compare_course:
        chosen |= Q(course=assignment.course_id, created__lt=assignment.created)
    others = Assignment.objects.filter(chosen, course__owner=assignment.course.owner_id)
    return list(others.exclude(pk=assignment.pk).select_related("course").distinct().order_by("pk"))


def archived_assignments(assignment: Assignment) -> QuerySet[Assignment]:
    """Return what the department's archive has for an assignment: that of the other courses in it.

    Its own course is not among them, and has to be in the archive itself: otherwise there is nothing.
    """
    if not assignment.course.in_archive:
        return Assignment.objects.none()
    return Assignment.objects.filter(course__in_archive=True).exclude(course=assignment.course_id)


def newest_submissions(assignments: Collection[Assignment] | QuerySet[Assignment]) -> QuerySet[Submission]:
    """Return the newest submission of every name that the classes of assignments handed in themselves."""
    uploaded = Submission.objects.filter(
        batch__assignment__in=assignments, batch__state__in=Batch.FULLY_READ, batch__role=Batch.Role.CLASS
    )
    names = "batch__assignment_id", "name"
    return uploaded.order_by(*names, "-batch_id").distinct(*names)


def comparing_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the assignments with submissions that can be ranked that are compared with an assignment."""
    of_course = Q(compare_course=True, course=assignment.course_id, created__gt=assignment.created)
    others = Assignment.objects.filter(Q(compared_with=assignment) | of_course)
    return list(others.filter(batches__state__in=Batch.FULLY_READ).distinct().order_by("pk"))
