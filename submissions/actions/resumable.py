"""Begin and end an upload that arrives in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.actions.accounts import QuotaExceeded, check_quotas
from submissions.actions.uploads import create_batch
from submissions.models import Batch, ResumableUpload
from submissions.storage import database_files

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment

# Uploads that an account may have begun and not ended.
MOST_BEGUN = 20


@transaction.atomic
def begin_resumable(
    assignment: Assignment, user: User, name: str, length: int, *, preview: bool = False, role: str = ""
) -> ResumableUpload:
    """Return a new upload of `length` bytes, of which nothing has arrived.

    Raises
    ------
    QuotaExceeded
        When that is more than may be stored, or the user has begun too many uploads.
    """
    check_quotas(assignment, length, user)
    if ResumableUpload.objects.filter(uploaded_by=user, ended=None).count() >= MOST_BEGUN:
        raise QuotaExceeded(
            _(
                "You have begun {n} uploads whose rest did not arrive, which is the most. Send it, or delete "
                "some of them."
            ).format(n=MOST_BEGUN)
        )
    return ResumableUpload.objects.create(
        assignment=assignment,
        uploaded_by=user,
        name=name,
        length=length,
        preview=preview,
        role=role or Batch.Role.CLASS,
        file=f"{database_files.FOLDER}/{uuid4().hex}",
    )


@transaction.atomic
def end_resumable(upload: ResumableUpload) -> ResumableUpload:
    """Make a whole upload a batch, as if it had come at once; one that is a batch stays as it is.

    Raises
    ------
    QuotaExceeded
        When its user may not upload now; its parts stay until then.
    """
    locked = ResumableUpload.objects.select_for_update(of=("self",)).get(pk=upload.pk)
    if locked.ended:
        return locked
    # From here on its bytes are counted as those of the batch.
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
