"""Create and revoke the tokens with which other programs use the API as a user."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from submissions.models import ApiToken, AuditEntry
from submissions.models.audit import AuditAction

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import timedelta

    from django.contrib.auth.models import User

    from submissions.models import Course

START = "moss_"
# What the user names of service accounts begin with.
SERVICE = "service:"
SECRET_BYTES = 32
PREFIX_CHARACTERS = 10


def token_digest(secret: str) -> str:
    """Return what is stored of a secret: it is random and long, so that a plain digest cannot be guessed."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


@transaction.atomic
def create_token(
    user: User, name: str, scope: str, lasting: timedelta, courses: Collection[Course] = ()
) -> tuple[ApiToken, str]:
    """Create a token, for some courses only if any are given; return it with its secret.

    The secret is not stored.
    """
    secret = START + secrets.token_urlsafe(SECRET_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        restricted=bool(courses),
        prefix=secret[:PREFIX_CHARACTERS],
        digest=token_digest(secret),
        expires=timezone.now() + lasting,
    )
    token.courses.set(courses)
    return token, secret


def note_tokens(who: str, address: str | None, what: str, tokens: Collection[ApiToken]) -> None:
    """Write to the audit log whose tokens were created or revoked, and what they may do."""
    for token in tokens:
        may = f"{token.scope}, until {token.expires:%Y-%m-%d}"
        subject = f"{what}: {token} of {token.user.get_username()}, {may}"
        AuditEntry.objects.create(
            who=who, address=address, action=AuditAction.CHANGED_TOKENS, subject=subject, page="api_tokens"
        )


def revoke_tokens(user: User, keys: Collection[int]) -> int:
    """Revoke tokens of a user by primary keys; return how many of them were not revoked before."""
    return ApiToken.objects.filter(user=user, pk__in=keys, revoked=None).update(revoked=timezone.now())
