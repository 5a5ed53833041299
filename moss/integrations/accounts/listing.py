"""List and end the sessions of a user."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import ADDRESS, DEVICE, STARTED, USED

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session as its user sees it; `handle` names it without telling its key."""

    handle: str
    device: str
    address: str
    since: datetime
    used: datetime
    is_current: bool


def listed_sessions(user: User, current_key: str | None) -> list[ListedSession]:
    """Return the sessions that have not ended, the current one first, then the latest used."""
    rows = Session.objects.filter(user=user, expire_date__gt=timezone.now())
    sessions = [_listed(row, current_key) for row in rows]
    return sorted(sessions, key=lambda session: (not session.is_current, -session.used.timestamp()))


def end_sessions(user: User, handles: Collection[str]) -> int:
    """End the sessions with these handles; return their number."""
    keys = [row.session_key for row in Session.objects.filter(user=user) if _handle(row) in handles]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


def end_all_but(user: User, current_key: str | None) -> None:
    Session.objects.filter(user=user).exclude(session_key=current_key).delete()


def _listed(row: Session, current_key: str | None) -> ListedSession:
    data = row.get_decoded()
    return ListedSession(
        _handle(row),
        data.get(DEVICE, ""),
        data.get(ADDRESS) or _("an unknown address"),
        datetime.fromtimestamp(data.get(STARTED, 0), UTC),
        datetime.fromtimestamp(data.get(USED, 0), UTC),
        row.session_key == current_key,
    )


def _handle(row: Session) -> str:
    return salted_hmac("moss.integrations.accounts.listing", row.session_key).hexdigest()[:16]
