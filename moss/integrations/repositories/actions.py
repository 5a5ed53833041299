"""Start, cancel and repeat the fetching of repositories, and start what is due."""

from __future__ import annotations

import json
import logging
import tempfile
import zipfile
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from django.core.files import File
from django.db import transaction
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.models import Repository, RepositoryFetch
from submissions.core.accounts import QuotaExceeded
from submissions.core.submitters import course_roster
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.pushed import METADATA
from submissions.models import Batch
from submissions.uploads.change import create_batch
from submissions.work import jobs
from submissions.work.jobs import erasing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.contrib.auth.models import User

    from moss.integrations.repositories.listing import Listed
    from submissions.models import Assignment
    from submissions.students.rows import Counts
    from submissions.students.scope import Scope

logger = logging.getLogger(__name__)

KIND = "fetch_repositories"
State = RepositoryFetch.State


@transaction.atomic
def start_fetch(
    assignment: Assignment,
    user: User | None,
    listed: Sequence[Listed],
    *,
    token: str = "",
    role: str = Batch.Role.CLASS,
    preview: bool = False,
    again_after_due: bool = False,
    hours_after_due: int = 0,
) -> RepositoryFetch:
    """Have the repositories of a list fetched, and read as one upload."""
    if again_after_due:
        take_off(assignment)  # The newest list is fetched again, and no other.
    fetch = RepositoryFetch.objects.create(
        assignment=assignment,
        started_by=user,
        token=token,
        role=role,
        preview=preview,
        again_after_due=again_after_due,
        hours_after_due=hours_after_due,
    )
    Repository.objects.bulk_create(Repository(fetch=fetch, **one._asdict()) for one in listed)
    jobs.enqueue(KIND, fetch.pk, user=user.pk if user else None)
    return fetch


@transaction.atomic
def cancel(fetch: RepositoryFetch) -> bool:
    """Cancel a fetch; its worker stops before the next repository. Return whether it was running."""
    jobs.cancel(KIND, [fetch.pk])
    return end(fetch, State.CANCELLED)


@transaction.atomic
def retry_failed(fetch: RepositoryFetch, user: User, token: str = "") -> RepositoryFetch | None:
    """Fetch the repositories again that failed, as a fetch of their own; None where none did."""
    failed = fetch.repositories.exclude(state=Repository.State.FETCHED)
    if fetch.is_running or not failed.exists():
        return None
    new = start_fetch(
        fetch.assignment, user, [], token=token or fetch.token, role=fetch.role, preview=fetch.preview
    )
    _copy(failed, new)
    return new


@transaction.atomic
def take_off(assignment: Assignment) -> bool:
    """Have nothing fetched again at the due date. Return whether something was to be."""
    planned = assignment.repository_fetches.filter(again_after_due=True)
    planned.exclude(state=State.FETCHING).update(token="")
    return bool(planned.update(again_after_due=False))


def start_due() -> None:
    """Fetch the lists again whose due date has passed, by the hours that were asked for, each once."""
    for key in RepositoryFetch.objects.due().order_by("pk").values_list("pk", flat=True):
        _start_again(key)


@transaction.atomic
def _start_again(key: int) -> None:
    """Start a fetch again; the row is locked, so that two processes do not both start it."""
    rows = RepositoryFetch.objects.filter(pk=key, again_after_due=True)
    fetch = rows.select_for_update(of=("self",), skip_locked=True).select_related("assignment").first()
    if fetch is None:
        return
    new = start_fetch(fetch.assignment, fetch.started_by, [], token=fetch.token, role=fetch.role)
    _copy(fetch.repositories.all(), new)
    rows.update(again_after_due=False, token="")
    logger.info("%s: the due date has passed, %s started", fetch, new)


def _copy(rows: Any, target: RepositoryFetch) -> None:
    fields = ("student", "address", "branch", "commit")
    Repository.objects.bulk_create(Repository(fetch=target, **one) for one in rows.values(*fields))


NOTHING = _("No repository could be fetched; the reasons are listed below.")


def gather(fetch: RepositoryFetch) -> None:
    """Have an upload made of what was fetched, or end with a reason."""
    try:
        _gather(fetch)
    except QuotaExceeded as error:
        end(fetch, State.FAILED, str(error))


@transaction.atomic
def end(fetch: RepositoryFetch, state: str, message: str = "") -> bool:
    """End a running fetch, and delete what it does not need any more. Return whether it was running."""
    running = RepositoryFetch.objects.filter(pk=fetch.pk, state=State.FETCHING)
    if not running.update(state=state, message=message):
        return False
    fetch.repositories.update(data=None)
    RepositoryFetch.objects.filter(pk=fetch.pk, again_after_due=False).update(token="")
    logger.info("%s: %s", fetch, state)
    return True


@transaction.atomic
def _gather(fetch: RepositoryFetch) -> None:
    running = RepositoryFetch.objects.filter(pk=fetch.pk, state=State.FETCHING)
    if running.select_for_update(of=("self",)).first() is None:
        return
    fetched = fetch.repositories.filter(state=Repository.State.FETCHED)
    if not fetched.exists():
        end(fetch, State.FAILED, NOTHING)
        return
    with tempfile.TemporaryFile() as target:
        _write(target, fetch.assignment, fetched.order_by("pk").iterator(chunk_size=1))
        name = f"Git {timezone.localtime():%Y-%m-%d %H.%M}.zip"
        uploads = [File(target, name)]
        batch = create_batch(
            fetch.assignment, fetch.started_by, uploads, preview=fetch.preview, role=fetch.role
        )
    running.update(batch=batch)
    end(fetch, State.DONE)


def _write(target: IO[bytes], assignment: Assignment, rows: Iterable[Repository]) -> None:
    """Write an archive with a folder for each repository, and a record of whose they are."""
    roster, records = course_roster(assignment.course), {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            assert row.committed is not None
            enrolled = roster.find(Student(row.student, row.student)) if roster else None
            folder = f"pushed-{row.pk}"
            records[folder] = {
                "name": enrolled.display_name if enrolled else row.student,
                "identifier": "",
                "submitted": row.committed.isoformat(),
            }
            with zipfile.ZipFile(BytesIO(row.data or b"")) as packed:
                for member in packed.infolist():
                    data = packed.read(member)
                    member.filename = f"{folder}/{member.filename}"
                    archive.writestr(member, data)
        archive.writestr(METADATA, json.dumps(records))
    target.flush()


@receiver(erasing, dispatch_uid="repositories")
def erase_repositories(sender: type, *, scope: Scope, counts: Counts, **_: Any) -> None:  # noqa: ARG001 - a receiver's
    """Delete the repositories of a student who is erased, with the files that are in no upload yet."""
    held = [one.pk for one in scope.held]
    for course in sorted(scope.courses):
        spellings = scope.spellings(course)
        rows = Repository.objects.filter(fetch__assignment__course=course)
        of_student = Q(student__in=spellings.names) | Q(student__in=spellings.ids)
        counts.delete(rows.exclude(fetch__assignment__in=held).filter(of_student))
