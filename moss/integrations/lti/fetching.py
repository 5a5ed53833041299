"""Fetch the files of a pushed submission (Asset Service): a job makes an attempt (`OUTGOING_KINDS`)."""

from __future__ import annotations

import base64
import binascii
import logging
import mimetypes
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from moss.integrations.lti.keys import ASSETS, access_token
from moss.integrations.lti.models import PushedFile, PushedSubmission
from moss.integrations.lti.refusals import HostNotStored, PlatformFailed, TooMuch, WrongStatus
from moss.integrations.lti.requests_out import get_file
from submissions.intake.entry_names import replace_invisible
from submissions.intake.limits import format_size
from submissions.work import jobs

if TYPE_CHECKING:
    from moss.integrations.lti.models import Platform
    from submissions.models import Job

logger = logging.getLogger(__name__)

# How long after each failed attempt the next one is due; more than a day in all.
WAITS = (
    timedelta(seconds=30),
    timedelta(minutes=5),
    *(timedelta(hours=hours) for hours in (0.5, 2, 6, 18)),
)
# Bytes of a file, and of all files of a submission: a worker has them in memory until they are stored.
LARGEST_FILE, LARGEST_SUBMISSION = 50_000_000, 100_000_000
GONE = (404, 410)
State, Problem = PushedSubmission.State, PushedSubmission.Problem


class Fetched(NamedTuple):
    """A file under the name that it gets in the upload."""

    name: str
    data: bytes


class FetchFailed(Exception):
    """A submission cannot be fetched; the message is the detail, for people."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(detail)
        self.problem = problem


def fetch_submission(job: Job) -> None:
    """Fetch the files of a submission that waits for them, and have the platform told.

    Raises
    ------
    Later
        When the attempt failed and another one follows.
    """
    rows = PushedSubmission.objects.filter(pk=job.subject, state=State.WAITING)
    row = rows.select_related("platform_course__platform").first()
    if row is None:
        return
    try:
        files = _files(row)
    except FetchFailed as failed:
        logger.info("%s, attempt %d: %s", row, job.attempts, failed.problem)
        _record(row, failed, job.attempts)
    else:
        logger.info("%s, attempt %d: %d files", row, job.attempts, len(files))
        _store(row, files)


def give_up(job: Job, _message: str) -> None:
    """Fail a submission of which each attempt to fetch it ended its worker."""
    for row in PushedSubmission.objects.filter(pk=job.subject, state=State.WAITING):
        _fail(row, FetchFailed(Problem.NO_ANSWER))


@transaction.atomic
def start_again(row: PushedSubmission, **fields: Any) -> bool:
    """Have a submission fetched that failed, or whose upload was deleted; report others again.

    Return whether it is fetched.
    """
    rows = PushedSubmission.objects.filter(pk=row.pk)
    failed = rows.filter(state=State.FAILED) | rows.filter(state=State.READ, batch=None)
    is_fetched = bool(failed.update(state=State.WAITING, problem="", detail="", **fields))
    if not is_fetched:
        rows.update(reported="")
    jobs.enqueue("fetch_submission" if is_fetched else "report_submission", row.pk)
    return is_fetched


def _files(row: PushedSubmission) -> list[Fetched]:
    if not row.assets:
        raise FetchFailed(Problem.NOTHING)
    platform, left = row.platform_course.platform, min(settings.MAX_UPLOAD_BYTES, LARGEST_SUBMISSION)
    files: list[Fetched] = []
    try:
        headers = {"Authorization": f"Bearer {access_token(platform, ASSETS)}"}
        for asset in row.assets:
            name = _name(asset, {one.name for one in files})
            files.append(Fetched(name, _fetched(platform, asset, headers, min(left, LARGEST_FILE))))
            left -= len(files[-1].data)
    except (PlatformFailed, SoftTimeLimitExceeded) as error:
        logger.info("%s: %s", row, error)
        raise FetchFailed(Problem.NO_ANSWER) from error
    return files


def _fetched(platform: Platform, asset: dict[str, Any], headers: dict[str, str], largest: int) -> bytes:
    """Return the bytes of a file; they are checked."""
    name, size = asset["name"], asset["size"]
    if size is not None and size > largest:
        raise FetchFailed(Problem.TOO_LARGE, f"{name} ({format_size(largest)})")
    try:
        data = get_file(platform, asset["url"], headers, largest if size is None else size)
    except HostNotStored as error:
        raise FetchFailed(Problem.HOST, error.host) from error
    except TooMuch as error:
        if size is not None:
            raise FetchFailed(Problem.OTHER_BYTES, name) from error
        raise FetchFailed(Problem.TOO_LARGE, f"{name} ({format_size(largest)})") from error
    except WrongStatus as error:
        if error.status in GONE:
            raise FetchFailed(Problem.GONE, name) from error
        raise
    if len(data) != (len(data) if size is None else size) or not _matches(data, asset["sha256_checksum"]):
        raise FetchFailed(Problem.OTHER_BYTES, name)
    return data


def _matches(data: bytes, checksum: str) -> bool:
    """Return whether a SHA-256 checksum, in Base64 or in hexadecimal digits, is that of these bytes."""
    digest = sha256(data)
    if checksum.casefold() == digest.hexdigest():
        return True
    try:
        return base64.b64decode(checksum, validate=True) == digest.digest()
    except binascii.Error:
        return False


def _name(asset: dict[str, Any], taken: set[str]) -> str:
    """Return the name of a file in its upload; a text that was typed in gets a suffix for its type."""
    plain = replace_invisible(asset["name"]).replace("/", "-").replace("\\", "-").strip(". ") or "text"
    if not asset["is_file"]:
        # Python's own table: the module's functions read that of the machine too.
        plain += mimetypes.MimeTypes().guess_extension(asset["content_type"].partition(";")[0]) or ".txt"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{number} {plain}"
    return name


@transaction.atomic
def _store(row: PushedSubmission, files: list[Fetched]) -> None:
    rows = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    if rows.select_for_update().first() is None:  # Erased, or stored by another process.
        return
    now = timezone.now()
    row.files.all().delete()
    PushedFile.objects.bulk_create(PushedFile(submission=row, name=name, data=data) for name, data in files)
    assets = [
        {**asset, "size": len(data), "stored_as": name}
        for asset, (name, data) in zip(row.assets, files, strict=True)
    ]
    rows.update(
        state=State.FETCHED,
        problem="",
        detail="",
        assets=assets,
        fetched=now,
    )
    jobs.enqueue("gather_submissions", row.assignment_id, due=now + settings.LTI_GATHER_TIME)
    jobs.enqueue("report_submission", row.pk)


def _record(row: PushedSubmission, failed: FetchFailed, attempts: int) -> None:
    """Store that an attempt failed; raise Later if another one might not fail in the same way."""
    if failed.problem != Problem.NO_ANSWER or attempts > len(WAITS):
        _fail(row, failed)
        return
    waiting = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    waiting.update(problem=failed.problem)
    raise jobs.Later(WAITS[attempts - 1], failed.problem, counts=True)


@transaction.atomic
def _fail(row: PushedSubmission, failed: FetchFailed) -> None:
    waiting = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    if waiting.update(state=State.FAILED, problem=failed.problem, detail=str(failed)):
        jobs.enqueue("report_submission", row.pk)
