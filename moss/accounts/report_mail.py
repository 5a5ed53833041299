"""Have those told by mail whose uploads are in a new report."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.dispatch import receiver
from django.utils import timezone

from moss.accounts.tasks import mail_report
from submissions.events import state_changed
from submissions.models import Batch, Report
from submissions.queues import INTERACTIVE, send

# Who waits less than this has most likely seen the report.
SOON = timedelta(minutes=1)


@receiver(state_changed, sender=Report, dispatch_uid="report mail")
def tell_uploaders(*, pk: int, state: str, **_: Any) -> None:
    """Enqueue a mail for each person whose uploads waited for this report."""
    if state != Report.State.DONE or not settings.MAIL:
        return
    # Their state changes to done after that of the report.
    waiting = Batch.objects.filter(submissions__reports=pk, state=Batch.State.RANKING)
    slow = waiting.filter(created__lt=timezone.now() - SOON, uploaded_by__isnull=False)
    for user_id in sorted(set(slow.values_list("uploaded_by", flat=True))):
        transaction.on_commit(partial(send, mail_report, INTERACTIVE, user_id, pk))
