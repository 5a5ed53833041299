"""Labels of other assignments in the reports of an assignment, and the batches with their copies."""

from __future__ import annotations

from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING

from django.db import transaction

from submissions.comparisons import archived_assignments, compared_assignments
from submissions.ingest.documents import delete_unused
from submissions.models import Assignment, Batch, Submission, SubmissionFile

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.models import QuerySet

# Characters of the names of the course and of the assignment in a label.
MAX_PART_OF_LABEL = 60


def set_labels(
    assignment: Assignment, chosen: Collection[Assignment], archived: Collection[int], found: Collection[int]
) -> dict[int, str]:
    """Return the labels of other assignments in the reports of an assignment, by primary key.

    These are the `chosen` ones, and of the `archived` ones those where something was `found`. A label stays
    what it was at first, whatever is renamed: decisions are stored for names that end with it. Those that the
    report does not need any more are deleted with its predecessor, see `delete_unneeded_labels`.
    """
    batches = assignment.batches.filter(role=Batch.Role.OTHER)
    batches.filter(from_archive=True, origin__in=chosen).update(from_archive=False)
    batches.filter(from_archive=False, origin__in=archived).update(from_archive=True)
    labels = {origin: name for origin, name in batches.values_list("origin_id", "name") if origin}
    missing = [other for other in chosen if other.pk not in labels]
    new = Assignment.objects.filter(pk__in=set(found) - labels.keys()).select_related("course").order_by("pk")
    for other in [*missing, *new]:
        labels[other.pk] = _distinct(_label(other), labels.values())
    Batch.objects.bulk_create(
        Batch(
            assignment=assignment,
            name=labels[other.pk],
            role=Batch.Role.OTHER,
            origin=other,
            from_archive=other.pk in archived,
            state=Batch.State.DONE,
        )
        for other in [*missing, *new]
    )
    return labels


def delete_unneeded_labels(assignment: Assignment) -> None:
    """Delete the labels of assignments that are not compared any more and have no copies."""
    compared = [other.pk for other in compared_assignments(assignment)]
    if assignment.compare_archive:
        compared += archived_assignments(assignment).values_list("pk", flat=True)
    labels = assignment.batches.filter(role=Batch.Role.OTHER, submissions=None)
    labels.exclude(origin__in=compared).delete()


def _label(other: Assignment) -> str:
    parts = (other.course.name[:MAX_PART_OF_LABEL], other.name[:MAX_PART_OF_LABEL], other.shown_term)
    return ", ".join(parts)


def _distinct(label: str, taken: Collection[str]) -> str:
    return next(one for one in chain([label], (f"{label} ({n})" for n in count(2))) if one not in taken)


def delete_copies(copies: QuerySet[Submission]) -> None:
    """Delete copies, and their documents where nothing else has these."""
    files = SubmissionFile.objects.filter(submission__in=copies.values("pk"))
    documents = list(files.values_list("document_id", flat=True).distinct())
    copies.delete()
    transaction.on_commit(partial(delete_unused, documents))
