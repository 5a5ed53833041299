"""Make one upload of the submissions of an assignment that platforms pushed in the last minutes.

They come one by one; an upload for each would have the class ranked for each.
"""

from __future__ import annotations

import json
import logging
import tempfile
import zipfile
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.utils import timezone

from moss.integrations.lti.models import PushedFile, PushedSubmission
from submissions.core.accounts import QuotaExceeded
from submissions.core.submitters import course_roster
from submissions.intake.choices import clean_name
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.pushed import METADATA
from submissions.models import Assignment
from submissions.uploads.change import create_batch
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import IO

    from submissions.models import Job

logger = logging.getLogger(__name__)

# How long submissions are listed that never came into an upload.
KEPT = timedelta(days=30)
State, Problem = PushedSubmission.State, PushedSubmission.Problem


def gather_submissions(job: Job) -> None:
    """Make an upload of what was fetched for an assignment; do nothing where there is nothing."""
    assignment_id = job.subject
    try:
        _gather(assignment_id)
    except QuotaExceeded as error:
        waiting = PushedSubmission.objects.filter(assignment=assignment_id, state=State.FETCHED)
        keys = list(waiting.values_list("pk", flat=True))
        with transaction.atomic():
            PushedFile.objects.filter(submission__in=keys).delete()
            _end(keys, State.FAILED, problem=Problem.NO_ROOM, detail=str(error))


@transaction.atomic
def _gather(assignment_id: int) -> None:
    assignment = Assignment.objects.filter(pk=assignment_id).select_related("course__owner").first()
    if assignment is None:
        return
    rows = _rows(assignment)
    kept = [row for row in rows if not _is_replaced(row)]
    _end([row.pk for row in rows if row not in kept], State.REPLACED)
    if kept:
        _name(assignment, kept)
        batch = _upload(assignment, kept)
        _end([row.pk for row in kept], State.READ, batch=batch)
        logger.info("batch %s: %d pushed submissions", batch.pk, len(kept))
    PushedFile.objects.filter(submission__in=rows).delete()
    if PushedSubmission.objects.filter(assignment=assignment, state=State.FETCHED).exists():
        jobs.enqueue("gather_submissions", assignment.pk)  # More than one upload may hold.


def forget_old() -> None:
    """Delete old submissions that never came into an upload."""
    ended = PushedSubmission.objects.filter(state__in=(State.FAILED, State.REPLACED))
    ended.filter(created__lt=timezone.now() - KEPT).delete()


def _rows(assignment: Assignment) -> list[PushedSubmission]:
    """Return the fetched submissions, the oldest first, as far as one upload may hold them."""
    fetched = PushedSubmission.objects.filter(assignment=assignment, state=State.FETCHED)
    locked = fetched.select_for_update(of=("self",), skip_locked=True)
    rows: list[PushedSubmission] = []
    left = settings.MAX_UPLOAD_BYTES
    for row in locked.select_related("platform_course__platform").order_by("submitted", "pk"):
        left -= sum(asset["size"] for asset in row.assets)
        if rows and left < 0:
            break
        rows.append(row)
    return rows


def _is_replaced(row: PushedSubmission) -> bool:
    """Return whether a later submission of the student is in an upload: this one would replace it."""
    same = PushedSubmission.objects.filter(assignment=row.assignment_id, subject=row.subject)
    return same.filter(state=State.READ, submitted__gt=row.submitted).exists()


def _name(assignment: Assignment, rows: Sequence[PushedSubmission]) -> None:
    """Name each submission after its student: a submission replaces an earlier one of the same name."""
    roster = course_roster(assignment.course)
    pushed = PushedSubmission.objects.filter(assignment=assignment)
    names = dict(pushed.filter(state=State.READ).order_by("pk").values_list("subject", "name"))
    for row in rows:
        if row.subject not in names:
            enrolled = roster.find(Student(row.name, row.subject)) if roster else None
            known = enrolled.display_name if enrolled else row.name
            name = clean_name(known or row.subject) or f"student {row.pk}"
            # Two students of one name are two people.
            names[row.subject] = f"{name} ({row.subject})" if name in names.values() else name
        row.name = names[row.subject]
        row.save(update_fields=["name"])


def _upload(assignment: Assignment, rows: Sequence[PushedSubmission]) -> Any:
    platform = rows[0].platform_course.platform
    with tempfile.TemporaryFile() as target:
        _write(target, rows)
        name = f"{clean_name(platform.name)} {timezone.localtime():%Y-%m-%d %H.%M}.zip"
        return create_batch(assignment, None, [File(target, name)])


def _write(target: IO[bytes], rows: Iterable[PushedSubmission]) -> None:
    """Write an archive with a folder for each submission, and a record of whose they are."""
    records = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for row in rows:
            records[folder_of(row)] = {
                "name": row.name,
                "identifier": row.subject,
                "submitted": row.submitted.isoformat(),
            }
            for file in row.files.order_by("pk").iterator(chunk_size=1):
                archive.writestr(f"{folder_of(row)}/{file.name}", bytes(file.data))
        archive.writestr(METADATA, json.dumps(records))
    target.flush()


def folder_of(row: PushedSubmission) -> str:
    """Return the folder of a submission in its upload."""
    return f"pushed-{row.pk}"


def _end(keys: Sequence[int], state: str, **fields: Any) -> None:
    rows = PushedSubmission.objects.filter(pk__in=keys, state=State.FETCHED)
    rows.update(state=state, **fields)
    jobs.enqueue_all("report_submission", keys)
