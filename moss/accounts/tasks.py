"""Celery tasks of the accounts, with keys only."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import TYPE_CHECKING

from celery import shared_task
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from moss.accounts.models import MailChoice
from submissions.models import Report
from submissions.permissions import Right, may

if TYPE_CHECKING:
    from submissions.models import Assignment

logger = logging.getLogger(__name__)


@shared_task
def mail_report(user_id: int, report_id: int) -> None:
    """Tell a user by mail that a report is ready, who may read it and has not chosen to get no such mail."""
    user = User.objects.filter(pk=user_id).first()
    report = Report.objects.filter(pk=report_id).select_related("assignment__course__owner").first()
    if not user or not report or not settings.MAIL or not user.email:
        return
    choice = MailChoice.objects.filter(user=user).first() or MailChoice()
    if not choice.reports or not may(user, Right.READ, report.assignment.course):
        return
    with translation.override(choice.language or settings.LANGUAGE_CODE):
        _send(user, report.assignment)


def _send(user: User, assignment: Assignment) -> None:
    subject = _("The report of {assignment} is ready").format(assignment=assignment.name)
    context = {"assignment": assignment, "address": f"{settings.OWN_URL}{assignment.get_absolute_url()}"}
    text = render_to_string("accounts/report_ready.txt", context)
    try:
        send_mail(" ".join(subject.split()), text, None, [user.email])
    except (OSError, SMTPException) as error:
        logger.warning("account %s was not told of a report: %s", user.pk, error)
