"""Sources that retention gives up before the rest: submissions are released, and bytes that nobody needs go.

A source is stored once. Its bytes stay as long as a submission that was not released has it, boilerplate, or
an upload that is not read yet.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from submissions import lifecycle
from submissions.ingest.documents import delete_unused_sources
from submissions.ingest.uploads import discard_uploads
from submissions.models import (
    Batch,
    Boilerplate,
    BoilerplateUpload,
    CaseMember,
    Decision,
    DeletedBatch,
    ListedEntry,
    Source,
    Submission,
    SubmissionFile,
)
from submissions.models.decisions import State
from submissions.models.reports import Report

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.models import Assignment

# What was decided like this is evidence, or may become some.
EVIDENCE = (State.SUSPICIOUS, State.CONFIRMED)
# Sources that are emptied in one round of maintenance.
A_ROUND = 500


def releasable(assignment: Assignment) -> QuerySet[Submission]:
    """Return the submissions of an assignment that were read, that have sources, and that are no evidence.

    Evidence are those of the newest report that are in a pair or a case that was decided so.
    """
    report = assignment.reports.filter(state=Report.State.DONE).first()
    pairs = Decision.objects.filter(assignment=assignment, state__in=EVIDENCE)
    cases = CaseMember.objects.filter(assignment=assignment, decision__state__in=EVIDENCE)
    names = {
        *pairs.values_list("left", flat=True),
        *pairs.values_list("right", flat=True),
        *cases.values_list("name", flat=True),
    }
    evidence = report.submissions.filter(name__in=names).values("pk") if report else []
    read = Submission.objects.filter(batch__assignment=assignment, batch__state=Batch.State.DONE)
    return read.filter(released=None).exclude(pk__in=evidence)


@transaction.atomic
def release(assignment: Assignment) -> int:
    """Release the submissions of an assignment that are no evidence; return how many."""
    lifecycle.lock_assignment(assignment.pk)
    # The keys first: an UPDATE would look at the decisions again for each row.
    keys = list(releasable(assignment).values_list("pk", flat=True))
    now = timezone.now()
    files = SubmissionFile.objects.filter(submission__in=keys)
    Source.objects.filter(pk__in=files.values("source")).update(given_up=now)
    return Submission.objects.filter(pk__in=keys).update(released=now)


def empty_sources() -> int:
    """Delete the bytes of sources that were given up and that nothing needs; return of how many."""
    files = SubmissionFile.objects.filter(source=OuterRef("pk"))
    needed = files.filter(submission__released=None)
    handed_out = Boilerplate.objects.filter(source=OuterRef("pk"))
    listed = ListedEntry.objects.filter(source=OuterRef("pk"))
    given_up = Source.objects.filter(given_up__isnull=False, emptied=None)
    unneeded = given_up.exclude(Exists(needed)).exclude(Exists(handed_out)).exclude(Exists(listed))
    with transaction.atomic():
        keys = list(unneeded.order_by("pk").values_list("pk", flat=True)[:A_ROUND])
        # What is being unpacked has sources before rows that refer to them: then the next round does it.
        if not keys or _is_unpacking():
            return 0
        return Source.objects.filter(pk__in=keys).update(data=b"", emptied=timezone.now())


def _is_unpacking() -> bool:
    reading = BoilerplateUpload.objects.filter(state=BoilerplateUpload.State.READING)
    return reading.exists() or Batch.objects.filter(state=Batch.State.UNPACKING).exists()


logger = logging.getLogger(__name__)


def expiry(batch: Batch) -> datetime:
    """Return when a listed batch is deleted if it is neither changed nor read."""
    return batch.touched + timedelta(days=settings.PREVIEW_DAYS)


def delete_expired() -> None:
    """Delete the listed batches whose time is over; a record of each stays, so that its address says so."""
    before = timezone.now() - timedelta(days=settings.PREVIEW_DAYS)
    for pk in Batch.objects.filter(state=Batch.State.LISTED, touched__lt=before).values_list("pk", flat=True):
        with transaction.atomic():
            # It may have been changed or read meanwhile.
            expired = Batch.objects.select_for_update(of=("self",)).filter(
                pk=pk, state=Batch.State.LISTED, touched__lt=before
            )
            for batch in expired:
                _delete(batch)


def _delete(batch: Batch) -> None:
    record = {"name": batch.name, "uploaded_by": batch.uploaded_by, "uploaded": batch.created}
    DeletedBatch.objects.get_or_create(
        batch=batch.pk, defaults={"assignment_id": batch.assignment_id, **record}
    )
    listed = batch.listed_entries.exclude(source=None)
    sources = list(listed.values_list("source_id", flat=True).distinct())
    logger.info(
        "batch %s of assignment %s: deleted (nobody had it read for %s days)",
        batch.pk,
        batch.assignment_id,
        settings.PREVIEW_DAYS,
    )
    discard_uploads(batch.uploads.all())
    batch.delete()
    transaction.on_commit(partial(delete_unused_sources, sources))
