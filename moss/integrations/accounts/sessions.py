"""Sessions in the database (`SESSION_ENGINE`), ended after a time without use and after a longest time."""

from __future__ import annotations

import time
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.utils import timezone

if TYPE_CHECKING:
    from datetime import datetime

    from moss.integrations.accounts.models import Session

# Keys of a session: the time of signing in, of the last use, and what was used, as far as was noted.
STARTED, USED, ADDRESS, DEVICE = "started", "used", "address", "device"
# By which names a provider of SAML knows the session, see `moss.integrations.accounts.saml_sign_out`.
SAML = "saml"


def saml_digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        from moss.integrations.accounts.models import Session  # noqa: PLC0415 - imported before the apps are ready

        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = super().create_model_instance(data)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None  # type: ignore[attr-defined]
        row.saml_name = saml_digest(data[SAML]["name_id"]) if SAML in data else ""  # type: ignore[attr-defined]
        return row  # type: ignore[return-value]

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Return the seconds until the session ends unless it is used: never beyond its longest time."""
        left = self.get(STARTED, time.time()) + settings.SESSION_LONGEST_SECONDS - time.time()
        return max(0, min(super().get_expiry_age(**kwargs), int(left)))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**kwargs))
