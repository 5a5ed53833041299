"""Webhooks of courses, and what was sent to them."""

from __future__ import annotations

import secrets
from base64 import b64encode

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from submissions.core.database import SealedTextField
from submissions.core.rights import Right, may, still_has
from submissions.models import Course

SECRET_BYTES = 32
LONGEST_ADDRESS = 2000


class Event(models.TextChoices):
    REPORT_READY = "report.ready", _("A report is ready")
    REPORT_FAILED = "report.failed", _("A ranking failed")
    UPLOAD_FAILED = "upload.failed", _("An upload failed")
    PAIR_FOUND = "pair.found", _("A new pair reaches the threshold")
    PAIR_DECIDED = "pair.decided", _("A pair was decided")
    CASE_DECIDED = "case.decided", _("A case was decided")


# The event of the button “Send a test”, which no webhook chooses.
TEST = "webhook.test"


def new_secret() -> str:
    """Return a secret in the form of Standard Webhooks."""
    return f"whsec_{b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def new_message_id() -> str:
    """Return what a receiver knows a message by when it comes twice."""
    return f"msg_{secrets.token_hex(16)}"


def _maker_may_share() -> models.Q:
    return still_has(Right.SHARE, "maker", "course")


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def stopped(self) -> WebhookQuerySet:
        """Return the webhooks that this service sends nothing to any more."""
        return self.filter(state=Webhook.State.STOPPED)

    def working(self) -> WebhookQuerySet:
        """Return the active webhooks whose maker may still share the course."""
        return self.filter(_maker_may_share(), state=Webhook.State.ACTIVE)

    def without_right(self) -> WebhookQuerySet:
        """Return the webhooks, not stopped yet, whose maker may not share the course any more."""
        return self.exclude(_maker_may_share()).exclude(state=Webhook.State.STOPPED)


class Webhook(models.Model):
    """An address that is told of events of a course."""

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        # Nothing arrived for days, the receiver said that it is gone, or its maker may not share any more.
        STOPPED = "stopped", _("stopped")

    course = models.ForeignKey(Course, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=LONGEST_ADDRESS)
    events = ArrayField(models.CharField(max_length=20, choices=Event.choices))
    # Needed as it is for each signature; on no page once it was created.
    secret = SealedTextField(default=new_secret)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    # It works while this person may share the course; the user name outlives a deleted account.
    maker = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(max_length=150)
    created = models.DateTimeField(auto_now_add=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        """Return no address: its path may be a secret."""
        return f"webhook {self.pk}"

    @property
    def maker_may_share(self) -> bool:
        return self.maker is not None and may(self.maker, Right.SHARE, self.course)


class Delivery(models.Model):
    """An event that is sent to a webhook until it arrives or too many attempts failed."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        ARRIVED = "arrived", _("arrived")
        GIVEN_UP = "given up", _("given up")

    class Problem(models.TextChoices):
        """The reason for which the last attempt failed."""

        STATUS = "status", _("The receiver answered with an error.")
        UNKNOWN_HOST = "unknown host", _("The name of the host is not known.")
        FORBIDDEN_HOST = (
            "forbidden host",
            _(
                "This service may not send to the network of this host. Ask the administrator of this "
                "service to allow it."
            ),
        )
        NO_CONNECTION = "no connection", _("No connection to the host.")
        CERTIFICATE = "certificate", _("The certificate of the host is not valid for its name.")
        NO_ANSWER = "no answer", _("No answer within 10 seconds.")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=40, default=new_message_id)
    event = models.CharField(max_length=20)
    # The signed text; JSON.
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    # The last attempt: its time, the status of the answer, and why it failed.
    tried = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=20, choices=Problem.choices, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"delivery {self.pk} of webhook {self.webhook_id}"
