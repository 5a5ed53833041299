"""Have those told by mail whose uploads are in a new report."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moss.integrations.accounts.models import MailChoice
from submissions.core.mails import Mail
from submissions.core.rights import Right, may
from submissions.models import Batch, Job, Report
from submissions.work import jobs
from submissions.work.jobs import state_changed

# Who waits less than this has most likely seen the report.
SOON = timedelta(minutes=1)


@receiver(state_changed, sender=Report, dispatch_uid="report mail")
def tell_uploaders(*, pk: int, assignment_id: int, state: str, **_: Any) -> None:
    """Enqueue a mail for each person whose uploads waited for this report."""
    if state != Report.State.DONE or not settings.MAIL:
        return
    # Their state changes to done after that of the report.
    waiting = Batch.objects.filter(submissions__reports=pk, state=Batch.State.RANKING)
    slow = waiting.filter(created__lt=timezone.now() - SOON, uploaded_by__isnull=False)
    for user_id in sorted(set(slow.values_list("uploaded_by", flat=True))):
        jobs.enqueue("mail_report", assignment_id, user_id)


def mail_report(job: Job) -> None:
    """Send a user a mail that a report is ready, if the user may read it and has not declined such mails.

    A newer report may have replaced the one that the user waited for; the address is the same.
    """
    user = User.objects.filter(pk=job.part).first()
    done = Report.objects.filter(assignment=job.subject, state=Report.State.DONE)
    report = done.select_related("assignment__course__owner").first()
    if not user or not report or not settings.MAIL or not user.email:
        return
    choice = MailChoice.objects.filter(user=user).first() or MailChoice()
    if not choice.reports or not may(user, Right.READ, report.assignment.course):
        return
    assignment = report.assignment
    context = {"assignment": assignment, "address": f"{settings.PUBLIC_ORIGIN}{assignment.get_absolute_url()}"}
    names = {"assignment": assignment.name}
    Mail(_("The report of {assignment} is ready"), "accounts/report_ready.txt", context, names).send_to(user)
