"""The tokens of a user, and the token of a secret."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from submissions.models import ApiToken
from submissions.permissions import Limits, Right, limit

if TYPE_CHECKING:
    from django.contrib.auth.models import User

READ_RIGHTS = frozenset({Right.READ, Right.SEE_NAMES})
# The last use of a token is exact to this, so that not every request writes to the database.
EXACT_TO = timedelta(minutes=1)


def tokens(user: User) -> list[ApiToken]:
    """Return the tokens of a user that were not revoked, the newest first."""
    return list(ApiToken.objects.filter(user=user, revoked=None).prefetch_related("courses"))


def all_tokens(account: str = "") -> list[ApiToken]:
    """Return the tokens that were not revoked, of an account by its user name or of all, by account."""
    rows = ApiToken.objects.filter(revoked=None).select_related("user").prefetch_related("courses")
    return list((rows.filter(user__username=account) if account else rows).order_by("user__username", "pk"))


def token_by_digest(digest: str) -> ApiToken | None:
    """Return the token with this digest, valid or not; its `user` may do no more than the token allows."""
    token = ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token:
        rights = READ_RIGHTS if token.scope == ApiToken.Scope.READ else frozenset(Right)
        courses = frozenset(token.courses.values_list("pk", flat=True)) if token.restricted else None
        limit(token.user, Limits(rights, courses))
    return token


def note_use(token: ApiToken) -> None:
    """Store that a token is used now."""
    now = timezone.now()
    if token.used is None or now - token.used >= EXACT_TO:
        ApiToken.objects.filter(pk=token.pk).update(used=now)
