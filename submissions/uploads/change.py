"""Upload files and boilerplate, at once or in parts, and start their processing, again where it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.core.accounts import QuotaExceeded, check_quotas
from submissions.intake.file_languages import ChosenLanguages
from submissions.intake.left_out.patterns import RULE_SIGN
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Course,
    Report,
    ResumableUpload,
    Submission,
    Upload,
)
from submissions.uploads import files as database_files, lifecycle
from submissions.uploads.files import UPLOADS_FOLDER
from submissions.uploads.fingerprinting import delete_unused
from submissions.uploads.jobs import enqueue_documents, enqueue_unpacking, upload_queue
from submissions.uploads.lifecycle import change_batches, change_reports, enqueue_rank
from submissions.uploads.rereading import change_language, rereading_of
from submissions.work import jobs
from submissions.work.kinds import INTERACTIVE

if TYPE_CHECKING:
    from submissions.intake.choices import Choices

# Why the state changed, in the log.
RETRIED = "retried by staff"
CLASS = Batch.Role.CLASS

NAME_CHARACTERS = 190

# Uploads that an account may have begun and not ended.
MOST_BEGUN = 20


def create_batch(
    assignment: Assignment,
    user: User | None,
    uploads: Sequence[File[bytes]],
    *,
    preview: bool = False,
    role: str = CLASS,
    choices: Choices | None = None,
) -> Batch:
    """Store uploaded files and enqueue the batch; with a `preview` it waits once it is unpacked.

    `role` is one of `Batch.Role`: what the class is, or earlier work that is compared with it. `choices` say
    how it is grouped; by default, by the layout that fits best. Raises QuotaExceeded when they are more than
    may be stored, or too many uploads in an hour.
    """
    size = sum(upload.size for upload in uploads)
    name = upload_name(uploads)
    # The files are stored first: the check makes other uploads of the same accounts wait.
    with stored_files(uploads) as stored, transaction.atomic():
        check_quotas(assignment, size, user)
        batch = assignment.batches.create(
            uploaded_by=user, name=name, preview=preview, role=role, choices=choices.to_json() if choices else {}
        )
        save_uploads(stored, batch=batch)
        enqueue_unpacking(batch)
    return batch


def group_as(batch: Batch, choices: Choices) -> bool:
    """Have a listed batch grouped as its uploader chose. Return whether it still waited for that."""
    listed = Batch.objects.filter(pk=batch.pk, state=Batch.State.LISTED)
    return bool(listed.update(choices=choices.to_json(), touched=timezone.now()))


@transaction.atomic
def read_listed(batch: Batch) -> bool:
    """Have a batch read that its uploader has checked. Return whether it waited for that."""
    if not lifecycle.continue_batch(batch.pk, preview=False):
        return False
    enqueue_unpacking(batch)
    return True


@transaction.atomic
def list_again(batch: Batch) -> bool:
    """Have a listed batch unpacked again, since other files count now. Return whether it can be.

    It cannot when it is not listed, or lost its files when a student was erased.
    """
    if not batch.uploads.exists() or not lifecycle.continue_batch(batch.pk):
        return False
    batch.listed_entries.all().delete()
    enqueue_unpacking(batch)
    return True


@transaction.atomic
def set_patterns(batch: Batch, user: User, patterns: Mapping[str, str]) -> None:
    """Store the patterns of the assignment of a listed batch; unpack it again where other files count.

    `patterns` are by their fields of `Assignment`. Where languages by name change, earlier uploads are read again.
    """
    locked = Assignment.objects.select_for_update().get(pk=batch.assignment_id)
    counts_others = patterns["include_patterns"].split() != locked.include_patterns.split()
    chosen = ChosenLanguages(locked.language, patterns["language_patterns"])
    if chosen.lines != locked.chosen_languages.lines and not rereading_of(locked, chosen).changes_nothing:
        change_language(locked, user, chosen.language, chosen.patterns)
    for field, text in patterns.items():
        setattr(locked, field, text)
    locked.save(update_fields=[*patterns])
    if counts_others:
        list_again(batch)


@transaction.atomic
def count_rule(assignment: Assignment, rule: str) -> None:
    """Let the files count that a rule leaves out, in the next uploads."""
    locked = type(assignment).objects.select_for_update().get(pk=assignment.pk)
    line = RULE_SIGN + rule
    lines = locked.include_patterns.splitlines()
    if line not in lines:
        locked.include_patterns = "\n".join([*lines, line])
        locked.save(update_fields=["include_patterns"])


@transaction.atomic
def rerank(assignment: Assignment) -> Report:
    """Enqueue a ranking of the stored cohort; return its report, which may have been queued already."""
    return enqueue_rank(assignment)


@transaction.atomic
def retry_batch(batch: Batch) -> bool:
    """Have a failed upload unpacked again, or read if its files are not needed. Return whether it can be."""
    failed = Batch.objects.filter(pk=batch.pk, state=Batch.State.FAILED)
    stored = failed.filter(pk__in=Upload.objects.values("batch"))
    if change_batches(stored, Batch.State.QUEUED, reason=RETRIED):
        enqueue_unpacking(batch)
        return True
    is_read = change_batches(_unpacked(failed), Batch.State.FINGERPRINTING, reason=RETRIED)
    if is_read:
        enqueue_documents(batch.pk, INTERACTIVE)
    return is_read


def _unpacked(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    return batches.filter(pk__in=Submission.objects.values("batch"))


@transaction.atomic
def retry_report(report: Report) -> bool:
    """Rank a failed report again, for the batches that failed with it too, unless there is a newer one."""
    failed = Report.objects.filter(pk=report.pk, state=Report.State.FAILED)
    if not failed.exclude(assignment__reports__pk__gt=report.pk).exists():
        return False
    batches = report.assignment.batches.filter(state=Batch.State.FAILED, message=report.message)
    change_batches(_unpacked(batches), Batch.State.RANKING, reason=RETRIED)  # They have been read.
    jobs.enqueue("rank", report.assignment_id, user=report.assignment.course.owner_id)
    return change_reports(failed, Report.State.QUEUED, RETRIED, message="")


def upload_name(files: Sequence[File[bytes]]) -> str:
    """Return the name for files that were uploaded together: `main.py and 3 more`, or their folder."""
    first = files[0].name or "upload"
    folder, slash, _ = first.partition("/")
    if slash and all((file.name or "").startswith(f"{folder}/") for file in files):
        return folder[:255] or "upload"
    return (first if len(files) == 1 else f"{first} and {len(files) - 1} more")[-255:]


@contextmanager
def stored_files(files: Sequence[File[bytes]]) -> Iterator[list[Upload]]:
    """Store uploaded files and yield their rows, to be saved; delete the files if the body fails."""
    written: list[str] = []
    try:
        with transaction.atomic():  # Many small files are one commit where they are kept in the database.
            for file in files:
                # A name that is known before writing, so that a file that was written in part is deleted too.
                written.append(f"{UPLOADS_FOLDER}/{uuid4().hex}")
                default_storage.save(written[-1], file)
        yield [
            Upload(name=file.name or "upload", file=name, size=file.size)
            for file, name in zip(files, written, strict=True)
        ]
    except BaseException:
        for name in written:
            default_storage.delete(name)
        raise


def save_uploads(uploads: Sequence[Upload], **owner: Batch | BoilerplateUpload) -> None:
    """Save stored files for their owner: `save_uploads(uploads, batch=batch)`."""
    for upload in uploads:
        for name, value in owner.items():
            setattr(upload, name, value)
    Upload.objects.bulk_create(uploads)


@transaction.atomic
def compare_files(user: User, files: Sequence[File[bytes]], course: str) -> Batch:
    """Upload files to a new assignment that is named after them, in the user's course of a name.

    The course is created if necessary. The upload waits until the user has checked how it is grouped. Raises
    QuotaExceeded when the files are more than may be stored; then nothing is created.
    """
    owned, _ = Course.objects.get_or_create(owner=user, name=course)
    stem = PurePosixPath(upload_name(files)).name.partition(".")[0][:NAME_CHARACTERS] or "upload"
    taken = set(owned.assignments.values_list("name", flat=True))
    names = (stem if number == 1 else f"{stem} {number}" for number in range(1, len(taken) + 2))
    assignment = owned.assignments.create(name=next(name for name in names if name not in taken))
    return create_batch(assignment, user, files, preview=True)


@transaction.atomic
def begin_resumable(
    assignment: Assignment, user: User, name: str, length: int, *, preview: bool = False, role: str = ""
) -> ResumableUpload:
    """Return a new upload of `length` bytes, of which nothing has arrived.

    Raises QuotaExceeded when that is more than may be stored, or the user has begun too many uploads.
    """
    check_quotas(assignment, length, user)
    if ResumableUpload.objects.filter(uploaded_by=user, ended=None).count() >= MOST_BEGUN:
        raise QuotaExceeded(
            _(
                "{n} of your uploads arrived only in part, and no more are allowed. Send the "
                "rest of one, or delete one."
            ).format(n=MOST_BEGUN)
        )
    return ResumableUpload.objects.create(
        assignment=assignment,
        uploaded_by=user,
        name=name,
        length=length,
        preview=preview,
        role=role or Batch.Role.CLASS,
        file=f"{database_files.RESUMABLE_FOLDER}/{uuid4().hex}",
    )


@transaction.atomic
def end_resumable(upload: ResumableUpload) -> ResumableUpload:
    """Make a complete upload a batch, as if it had come at once, unless it is a batch already.

    Raises QuotaExceeded when its user may not upload now; its parts stay until then.
    """
    locked = ResumableUpload.objects.select_for_update(of=("self",)).get(pk=upload.pk)
    if locked.ended:
        return locked
    # From here on its bytes are counted with the batch.
    locked.ended = timezone.now()
    locked.save(update_fields=["ended"])
    with database_files.opened(locked.file) as parts:
        whole = File(parts, locked.name)
        locked.batch = create_batch(
            locked.assignment, locked.uploaded_by, [whole], preview=locked.preview, role=locked.role
        )
    locked.save(update_fields=["batch"])
    database_files.delete(locked.file)
    return locked


def add_boilerplate(
    assignment: Assignment, uploads: Sequence[File[bytes]], *, statement: bool = False
) -> BoilerplateUpload:
    """Store handed-out files, single or in archives, and enqueue them to be read and registered.

    With `statement` they are the statement of the task. Raises QuotaExceeded when they are more than may be stored.
    """
    size = sum(file.size for file in uploads)
    queue = upload_queue(size)
    with stored_files(uploads) as stored, transaction.atomic():
        check_quotas(assignment, size)
        upload = assignment.boilerplate_uploads.create(name=upload_name(uploads), statement=statement)
        save_uploads(stored, boilerplate_upload=upload)
        jobs.enqueue("read_boilerplate", upload.pk, queue=queue)
    return upload


def dismiss_boilerplate_upload(upload: BoilerplateUpload) -> None:
    """Delete the record of uploaded boilerplate that was read or failed; what was registered stays."""
    BoilerplateUpload.objects.filter(pk=upload.pk).exclude(state__in=BoilerplateUpload.RUNNING).delete()


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Remove boilerplate and enqueue a new ranking."""
    assignment, documents = boilerplate.assignment, [boilerplate.document_id, boilerplate.next_document_id]
    boilerplate.delete()
    transaction.on_commit(partial(delete_unused, [pk for pk in documents if pk]))
    enqueue_rank(assignment)
