"""Find the account of a MOSS user id, and give an account a new one."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

from moss.integrations.moss_protocol.models import MossUserId

if TYPE_CHECKING:
    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)

# As many as every programming language keeps exact in a number, and too many to guess.
DIGITS = 15


def account_of(number: str) -> User | None:
    """Return the active account of a user id, or None."""
    row = MossUserId.objects.select_related("user").filter(number=number, user__is_active=True).first()
    return row.user if row else None


def user_id_of(user: User) -> str:
    """Return the user id of an account; empty where it has none."""
    return MossUserId.objects.filter(user=user).values_list("number", flat=True).first() or ""


def renew_user_id(user: User) -> str:
    """Replace the user id of an account; the earlier one is refused from now on."""
    number = str(10 ** (DIGITS - 1) + secrets.randbelow(9 * 10 ** (DIGITS - 1)))
    MossUserId.objects.update_or_create(user=user, defaults={"number": number})
    logger.info("account %s renewed its MOSS user id", user.pk)
    return number
