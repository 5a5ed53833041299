"""The user ids of MOSS clients, and the old result pages of what they sent."""

from __future__ import annotations

import logging
import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.db import models

from submissions.models import Assignment

MAX_OPTIONS = 200


class MossUserId(models.Model):
    """The user id by which a client names an account; whoever knows it can upload into that account."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="moss_user_id")
    # Digits without a leading zero: scripts write it as a number without quotes.
    number = models.CharField(
        "user id",
        max_length=18,
        unique=True,
        validators=[RegexValidator(r"\A[1-9][0-9]{3,17}\Z", "4 to 18 digits, the first of them no zero.")],
        help_text="Whoever knows it can upload as this user. A short one is easily guessed.",
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "MOSS user id"

    def __str__(self) -> str:
        """Return no id: it is a secret."""
        return f"the MOSS user id of account {self.user_id}"


class ClientResult(models.Model):
    """The old result pages of an assignment that a client sent; they end with it."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="client_result")
    # The SHA-256 of the key in their address.
    key_digest = models.CharField(max_length=64)
    # As the client sent them: its options as on a command line, the number of pairs, the comment.
    options = models.CharField(max_length=MAX_OPTIONS)
    shown = models.PositiveIntegerField()
    comment = models.CharField(max_length=200, blank=True)
    directory = models.BooleanField(default=False)
    # The client's names of files and folders at the top of the upload that have another one there.
    names: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"the old result pages of assignment {self.assignment_id}"


logger = logging.getLogger(__name__)

# As many as every programming language keeps exact in a number, and too many to guess.
DIGITS = 15


def account_of(user_id: str) -> User | None:
    """Return the active account of a user id, or None."""
    row = MossUserId.objects.select_related("user").filter(number=user_id, user__is_active=True).first()
    return row.user if row else None


def user_id_of(user: User) -> str:
    """Return the user id of an account; empty where it has none."""
    return MossUserId.objects.filter(user=user).values_list("number", flat=True).first() or ""


def renew_user_id(user: User) -> str:
    """Replace the user id of an account; the earlier one is refused from now on."""
    user_id = str(10 ** (DIGITS - 1) + secrets.randbelow(9 * 10 ** (DIGITS - 1)))
    MossUserId.objects.update_or_create(user=user, defaults={"number": user_id})
    logger.info("account %s renewed its MOSS user id", user.pk)
    return user_id
