"""Addresses of the tabs of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

if TYPE_CHECKING:
    from submissions.models import Assignment


def tab(assignment: Assignment, name: str) -> str:
    """Return the address of a tab: `pairs`, `students`, `ignored` or `uploads`."""
    return reverse(name, args=[assignment.pk])
