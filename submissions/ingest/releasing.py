"""Sources that retention gives up before the rest: submissions are released, and bytes that nobody needs go.

A source is stored once. Its bytes stay as long as a submission that was not released has it, boilerplate, or
an upload that is not read yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from submissions import lifecycle
from submissions.models import (
    Batch,
    Boilerplate,
    BoilerplateUpload,
    CaseMember,
    Decision,
    ListedEntry,
    Source,
    Submission,
    SubmissionFile,
)
from submissions.models.decisions import State
from submissions.models.reports import Report

if TYPE_CHECKING:
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
