"""Queries for the assignments that one assignment is compared with, and for the reverse."""

from __future__ import annotations

from django.db.models import Q

from submissions.models import Assignment, Batch


def compared_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the other assignments that an assignment is compared with, all of courses of the same owner."""
    chosen = Q(compared_by=assignment)
    if assignment.compare_course:
        chosen |= Q(course=assignment.course_id, created__lt=assignment.created)
    others = Assignment.objects.filter(chosen, course__owner=assignment.course.owner_id)
    return list(others.exclude(pk=assignment.pk).select_related("course").distinct().order_by("pk"))


def comparing_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the assignments with submissions that can be ranked that are compared with an assignment."""
    of_course = Q(compare_course=True, course=assignment.course_id, created__gt=assignment.created)
    others = Assignment.objects.filter(Q(compared_with=assignment) | of_course)
    return list(others.filter(batches__state__in=Batch.FULLY_READ).distinct().order_by("pk"))
