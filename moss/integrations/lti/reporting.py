"""Tell the platform how far a pushed submission is (Asset Report Service).

Nothing of a similarity is in a report: what it means is for an instructor to judge. Nor is one shown to
students, as far as the platform lets a tool say so.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

from moss.integrations.lti.launch import REPORT_TYPE
from moss.integrations.lti.models import PushedSubmission
from moss.integrations.lti.pushed import folder_of
from moss.integrations.lti.requests_out import PlatformFailed, WrongStatus, post_json
from moss.integrations.lti.tokens import REPORTS, access_token
from submissions.intake.unpacking import archive_stem
from submissions.models import Batch, Entry, Job
from submissions.work import jobs
from submissions.work.jobs import erasing, state_changed

if TYPE_CHECKING:
    from submissions.students.rows import Counts
    from submissions.students.scope import Scope

logger = logging.getLogger(__name__)

TITLE = "Similarity"
# How long after each failed attempt the next one is due.
WAITS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
# The platform has a newer report of the file.
CONFLICT = 409
State, Problem = PushedSubmission.State, PushedSubmission.Problem
PROCESSING, PROCESSED, FAILED = "Processing", "Processed", "Failed"
# What LTI calls why a file was not taken. With the first, platforms offer to send the notice again.
DOWNLOAD_FAILED, TOO_LARGE, UNSUPPORTED = "DOWNLOAD_FAILED", "ASSET_TOO_LARGE", "UNSUPPORTED_ASSET_TYPE"


class Progress(NamedTuple):
    """The progress of a file: its state, its message, and the code of an error."""

    state: str
    comment: str
    error: str = ""


READING = Progress(PROCESSING, "It is read together with others.")
READY = Progress(PROCESSED, "Ready to be read by the instructor.")
REPLACED = Progress(PROCESSED, "A later submission of the student is read instead.")
NOT_FETCHED = Progress(FAILED, "The file could not be fetched.", DOWNLOAD_FAILED)
TOO_MUCH = Progress(FAILED, "The file is too large.", TOO_LARGE)
NOT_READ = Progress(FAILED, "The upload of which it was a part was not read.", DOWNLOAD_FAILED)
NO_TEXT = Progress(FAILED, "The file could not be used.", UNSUPPORTED)


def progress_of(row: PushedSubmission) -> Progress:
    """Return how far a submission is as a whole."""
    if row.state in PushedSubmission.UNDER_WAY:
        return READING
    if row.state == State.FAILED:
        return TOO_MUCH if row.problem == Problem.TOO_LARGE else NOT_FETCHED
    if row.state == State.REPLACED:
        return REPLACED
    if row.batch is None or row.batch.state in {Batch.State.FAILED, Batch.State.CANCELLED}:
        return NOT_READ
    return READY if row.batch.state == Batch.State.DONE else READING


def report_submission(job: Job) -> None:
    """Report to the platform how far a submission is, if that changed since the last report.

    Raises
    ------
    Later
        When the attempt failed and another one follows.
    """
    rows = PushedSubmission.objects.filter(pk=job.subject).exclude(state=State.WAITING)
    row = rows.select_related("platform_course__platform", "batch").first()
    if row is None:
        return
    progress = progress_of(row)
    reported = f"{progress.state} {progress.error}".strip()[:20] if row.report_url else ""
    if reported == row.reported or _tell(row, progress):
        PushedSubmission.objects.filter(pk=row.pk).update(reported=reported)
    elif job.attempts <= len(WAITS):
        raise jobs.Later(WAITS[job.attempts - 1], counts=True)


def _tell(row: PushedSubmission, progress: Progress) -> bool:
    platform = row.platform_course.platform
    try:
        headers = {"Authorization": f"Bearer {access_token(platform, REPORTS)}"}
        for asset in row.assets:
            _post(row, asset, progress, headers)
    except (PlatformFailed, SoftTimeLimitExceeded) as error:
        logger.warning("%s could not be reported: %s", row, error)
        return False
    return True


def _post(row: PushedSubmission, asset: dict[str, Any], progress: Progress, headers: dict[str, str]) -> None:
    shown_progress = progress if progress != READY or _is_used(row, asset) else NO_TEXT
    content = {
        "assetId": asset["asset_id"],
        "type": REPORT_TYPE,
        "title": TITLE,
        "timestamp": timezone.now().isoformat(),
        "processingProgress": shown_progress.state,
        "priority": 0,
        "comment": shown_progress.comment,
        "visibleToOwner": False,
    }
    if shown_progress.error:
        content["errorCode"] = shown_progress.error
    try:
        post_json(row.platform_course.platform, row.report_url, content, headers)
    except WrongStatus as error:
        if error.status != CONFLICT:
            raise


def _is_used(row: PushedSubmission, asset: dict[str, Any]) -> bool:
    """Return whether something of a file was accepted in the upload."""
    name, folder = asset.get("stored_as", ""), folder_of(row)
    # An archive is a folder with its name, without the suffix.
    of_asset = Q(name=f"{folder}/{name}") | Q(name__startswith=f"{folder}/{archive_stem(name)}/")
    return Entry.objects.filter(of_asset, batch=row.batch, accepted=True).exists()


ENDED = {Batch.State.DONE, Batch.State.FAILED, Batch.State.CANCELLED}


@receiver(state_changed, dispatch_uid="lti")
def tell_platform(sender: type, *, pk: int, state: str, **_: Any) -> None:
    """Have the platform told that the upload of its submissions has ended."""
    if sender is Batch and state in ENDED:
        pushed = PushedSubmission.objects.filter(batch=pk)
        jobs.enqueue_all("report_submission", pushed.values_list("pk", flat=True))


@receiver(erasing, dispatch_uid="lti")
def erase_pushed(sender: type, *, scope: Scope, counts: Counts, **_: Any) -> None:  # noqa: ARG001 - a receiver's
    """Delete what platforms pushed of a student who is erased, with the files that were not read yet."""
    held = [one.pk for one in scope.held]
    for course in sorted(scope.courses):
        spellings = scope.spellings(course)
        rows = PushedSubmission.objects.filter(assignment__course=course).exclude(assignment__in=held)
        of_student = Q(subject__in=spellings.ids) | Q(name__in=spellings.names)
        counts.delete(rows.filter(of_student))
