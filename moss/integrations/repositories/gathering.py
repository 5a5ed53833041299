"""Make one upload of the repositories that were fetched, which is read like any other."""

from __future__ import annotations

import json
import logging
import tempfile
import zipfile
from io import BytesIO
from typing import IO, TYPE_CHECKING

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.models import Repository, RepositoryFetch
from submissions.actions.quotas import QuotaExceeded
from submissions.actions.uploads import create_batch
from submissions.enrolment import course_roster
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.pushed import METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Assignment

logger = logging.getLogger(__name__)

NOTHING = _("No repository could be fetched; the reasons are listed below.")
State = RepositoryFetch.State


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
