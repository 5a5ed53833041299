"""The table of sessions, and what people choose for their account."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase


class Session(AbstractBaseSession):
    """A session with the user whose it is, so that a user's sessions can be listed and ended."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="sessions", editable=False
    )

    # The digest of the name by which a provider of SAML knows the session, so that it can end it.
    saml_name = models.CharField(max_length=64, blank=True, default="", db_index=True, editable=False)

    def __str__(self) -> str:
        """Return no key: whoever knows the key has the session."""
        return f"a session of account {self.user_id}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store


class MailChoice(models.Model):
    """The kinds of mail that a user gets, and their language; without a row, all, in that of the service."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_choice")
    reports = models.BooleanField(default=True)
    # That of the pages when the user last signed in or chose; empty: that of the service.
    language = models.CharField(max_length=10, blank=True)

    def __str__(self) -> str:
        return f"mail of account {self.user_id}"
