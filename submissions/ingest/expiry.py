"""Uploads that were unpacked for a preview and that nobody has had read: they are deleted after some days."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from submissions.ingest.documents import delete_unused_sources
from submissions.ingest.uploads import discard_uploads
from submissions.models import Batch, DeletedBatch

if TYPE_CHECKING:
    from datetime import datetime

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
