"""The mail to the owner of a course about a webhook that was stopped."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from moss.integrations.webhooks.models import Webhook
from moss.integrations.webhooks.payloads import absolute

if TYPE_CHECKING:
    from submissions.models import Job

logger = logging.getLogger(__name__)


def tell_owner(job: Job) -> None:
    """Tell the owner of a course by mail that a webhook was stopped; the page of the course says it, too."""
    webhook = Webhook.objects.filter(pk=job.subject).select_related("course__owner").first()
    if not webhook or not settings.MAIL or not webhook.course.owner.email:
        return
    address = absolute(reverse("webhook", args=[webhook.course_id, webhook.pk]))
    text = render_to_string("webhooks/stopped.txt", {"webhook": webhook, "address": address})
    subject = _("A webhook of {course} was stopped").format(course=webhook.course.name)
    try:
        send_mail(" ".join(subject.split()), text.strip() + "\n", None, [webhook.course.owner.email])
    except (OSError, SMTPException) as error:
        logger.warning("the notice on %s could not be sent: %s", webhook, error)
