"""Addresses of the tabs of a report."""

from django.urls import reverse

from submissions.models import Assignment

# Headers of a request of htmx for what a filter changes.
HTMX = {"HX-Request": "true", "HX-Target": "findings"}
# Elements of a whole page that no answer to htmx has.
WHOLE_PAGE = "head > title, main#content"


def tab(assignment: Assignment, name: str) -> str:
    """Return the address of a tab: `pairs`, `students`, `ignored` or `uploads`."""
    return reverse(name, args=[assignment.pk])
