"""Labels of other assignments in the reports of an assignment, and the batches with their copies."""

from __future__ import annotations

from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING

from django.db import transaction

from submissions.ingest.documents import delete_unused
from submissions.models import Batch, Submission, SubmissionFile

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.models import QuerySet

    from submissions.models import Assignment

# Characters of the names of the course and of the assignment in a label.
MAX_PART_OF_LABEL = 60


def set_labels(assignment: Assignment, others: list[Assignment]) -> dict[int, str]:
    """Return the label of each of the `others` in the reports of an assignment, by primary key.

    A label stays what it was at first, whatever is renamed: decisions are stored for names that end with it.
    The copies of submissions of an assignment that is none of the `others` any more are deleted.
    """
    batches = assignment.batches.filter(role=Batch.Role.OTHER)
    removed = batches.exclude(origin__in=others)
    delete_copies(Submission.objects.filter(batch__in=removed))
    removed.delete()
    labels = {origin: name for origin, name in batches.values_list("origin_id", "name") if origin}
    for other in others:
        if other.pk not in labels:
            labels[other.pk] = _distinct(_label(other), labels.values())
            assignment.batches.create(
                name=labels[other.pk], role=Batch.Role.OTHER, origin=other, state=Batch.State.DONE
            )
    return labels


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
