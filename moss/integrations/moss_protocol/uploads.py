"""Uploads of MOSS clients, and what they do as lines of the audit log."""

from __future__ import annotations

import secrets
import tarfile
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from moss.integrations.moss_protocol.models import MAX_OPTIONS, ClientResult
from submissions.audit.models import AuditAction
from submissions.core.accounts import QuotaExceeded
from submissions.courses.retention import delete_assignment
from submissions.intake.choices import Choices
from submissions.intake.entries import replace_invisible
from submissions.models import Assignment, AuditEntry, Batch, Course, Upload
from submissions.pages.requests import client_address
from submissions.reports.progress import activity_of
from submissions.reports.read import report_state
from submissions.uploads.change import add_boilerplate, create_batch
from submissions.uploads.files import discard_uploads

if TYPE_CHECKING:
    from moss.integrations.moss_protocol.protocol import Options

COURSE = "MOSS"
ARCHIVE, BASE_ARCHIVE = "moss-client.tar", "moss-base-files.tar"
NAME_CHARACTERS, NUMBER_CHARACTERS = 200, 12
# In decimal digits: public scripts look for `results/[0-9]+/[0-9]+`.
KEY_DIGITS = 38
GONE = "The assignment was deleted meanwhile."
BLOCK = tarfile.BLOCKSIZE


def record_upload(batch: Batch, who: str, address: str) -> None:
    """Write that an account uploaded a batch from an IP address."""
    entry = AuditEntry(who=who, address=address or None, action=AuditAction.UPLOADED, subject=batch.name)
    _record(batch.assignment, entry)


def record_reading(request: HttpRequest, result: ClientResult, names: str = "") -> None:
    """Write that somebody who has the address of the old pages opened them; `names` are those of a pair."""
    who = request.user.get_username() if settings.RESULTS_SIGN_IN else f"results {result.pk}"
    entry = AuditEntry(who=who, address=client_address(request), action=AuditAction.SAW)
    entry.subject = names
    _record(result.assignment, entry)


def _record(assignment: Assignment, entry: AuditEntry) -> None:
    entry.course, entry.assignment, entry.page = assignment.course.name, assignment.name, "moss_client"
    entry.save()


@dataclass(frozen=True)
class Received:
    """One complete upload of a client, from an IP address.

    `names`: see `ClientResult`; `folders` is their number.
    """

    user: User
    address: str
    options: Options
    language: str
    comment: str
    names: dict[str, str]
    folders: int
    files: File[bytes]
    base: File[bytes] | None


class StoredResult(NamedTuple):
    """The path of the old result pages, and their assignment."""

    path: str
    assignment: int


class Outcome(NamedTuple):
    """The result of the work on an upload; without an error the report is ready."""

    error: str = ""


def store(received: Received) -> StoredResult:
    """Store an upload as an assignment of the account's course for them, and enqueue it.

    Raises QuotaExceeded when the account may not upload it; nothing is stored then.
    """
    key = f"{secrets.randbelow(10**KEY_DIGITS):0{KEY_DIGITS}}"
    with transaction.atomic():
        assignment = _create_assignment(received)
        result = ClientResult.objects.create(
            assignment=assignment,
            key_digest=digest(key),
            options=str(received.options)[:MAX_OPTIONS],
            shown=received.options.shown,
            comment=received.comment,
            directory=received.options.directory,
            names=received.names,
        )
        batch = _upload(assignment, received)
        record_upload(batch, received.user.get_username(), received.address)
    return StoredResult(f"/results/{result.pk}/{key}", assignment.pk)


def digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def clean_comment(comment: str) -> str:
    """Return a comment as the name of an assignment, with room for a number after it; it may be empty."""
    return replace_invisible(" ".join(comment.split()))[: NAME_CHARACTERS - NUMBER_CHARACTERS].strip()


def _upload(assignment: Assignment, received: Received) -> Batch:
    try:
        if received.base:
            add_boilerplate(assignment, [received.base])
        return create_batch(assignment, received.user, [received.files], choices=_choices(received))
    except QuotaExceeded:
        discard_uploads(Upload.objects.filter(boilerplate_upload__assignment=assignment))
        raise


def _choices(received: Received) -> Choices:
    """Return how the archive is grouped: each file, or each folder at its top, is a submission."""
    if not received.options.directory:
        return Choices(depth=0)
    # A folder around everything would not count as one.
    return Choices(depth=1) if received.folders > 1 else Choices(layout="project")


def _create_assignment(received: Received) -> Assignment:
    course, _ = Course.objects.get_or_create(owner=received.user, name=COURSE)
    name = received.comment or f"{timezone.localtime():%Y-%m-%d %H:%M %Z}"
    for number in count(1):
        try:
            with transaction.atomic():
                return Assignment.objects.create(
                    course=course,
                    name=name if number == 1 else f"{name} ({number})",
                    language=received.language,
                    common_limit=received.options.common_limit,
                )
        except IntegrityError:
            continue
    raise AssertionError


def outcome(assignment_id: int) -> Outcome | None:
    """Return how the work on an upload ended, or None while it goes on.

    An upload of which no file could be used is deleted with its assignment.
    """
    assignment = Assignment.objects.filter(pk=assignment_id).first()
    batch = assignment.batches.order_by("pk").first() if assignment else None
    if not assignment or not batch:
        return Outcome(GONE)
    if batch.state == Batch.State.FAILED:
        refused = batch.entries.filter(accepted=False)[:3]
        message = " ".join([batch.message, *(f"{row.name}: {row.reason}." for row in refused)])
        delete_assignment(assignment)
        return Outcome(message)
    if batch.state == Batch.State.CANCELLED:
        return Outcome("The upload was cancelled.")
    state = report_state(assignment)
    if activity_of(assignment, state).is_live:
        return None
    if state.failed:
        return Outcome(f"The ranking failed: {state.failed.message}")
    return Outcome() if state.report else None


class Spool:
    """A tar that grows by one file at a time; `files` is the number of those in it.

    It has no name on the disk, so that nothing is left of it when its process ends.
    """

    def __init__(self) -> None:
        self._file = cast("BinaryIO", tempfile.TemporaryFile(prefix="moss-listen-"))  # noqa: SIM115 - see `close`
        self.files = 0
        self._padding = 0

    def begin(self, path: str, size: int) -> None:
        """Write the header of a file; exactly `size` bytes must follow."""
        info = tarfile.TarInfo(path)
        info.size = size
        self._file.write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        self._padding = -size % BLOCK

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def end(self) -> None:
        """Complete the file that was begun."""
        self._file.write(bytes(self._padding))
        self.files += 1

    def uploaded(self, name: str) -> File[bytes]:
        """Return the complete tar as an uploaded file."""
        self._file.write(bytes(2 * BLOCK))
        self._file.seek(0)
        return File(self._file, name=name)

    def close(self) -> None:
        self._file.close()
