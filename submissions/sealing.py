"""Texts that the database holds sealed: secrets that have to be read again, and what may contain some.

They are encrypted and signed (Fernet) with a key that comes from `SECRET_KEY`, which is not in the database.
A former key in `SECRET_KEY_FALLBACKS` still opens what was sealed with it.
"""

from __future__ import annotations

import logging
from base64 import urlsafe_b64encode
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import models

from fingerprint.engine import storable

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    TextField = models.TextField[str, str]
else:
    TextField = models.TextField  # takes no parameters at run time

PURPOSE = b"moss.sealed"
KEY_BYTES = 32


class OtherKey(Exception):
    """A text was sealed with another SECRET_KEY."""


def seal(text: str) -> str:
    """Return a text that says nothing without the key."""
    return (
        _keys(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).encrypt(storable(text).encode()).decode()
    )


def opened(sealed: str) -> str:
    """Return the text that was sealed.

    Raises
    ------
    OtherKey
        When it was sealed with no key of the settings.
    """
    try:
        return _keys(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).decrypt(sealed).decode()
    except InvalidToken as error:
        raise OtherKey("Sealed with another SECRET_KEY: add that to SECRET_KEY_FALLBACKS.") from error


def opened_or_empty(sealed: str) -> str:
    """Return the text that was sealed; an empty one, with an error in the log, where no key opens it."""
    try:
        return opened(sealed)
    except OtherKey as error:
        logger.error("%s", error)  # noqa: TRY400 - the key is missing, wherever this is
        return ""


class SealedTextField(TextField):
    """A TextField that the database holds sealed: no query finds it. Migrations see a TextField.

    A text that was sealed with another key is read as an empty one, so that its row can be listed.
    """

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return value if value is None else opened_or_empty(value)

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return prepared if prepared is None else seal(prepared)


@lru_cache(maxsize=4)
def _keys(*secrets: str) -> MultiFernet:
    return MultiFernet([Fernet(_derived(secret)) for secret in secrets])


def _derived(secret: str) -> bytes:
    key = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE).derive(secret.encode())
    return urlsafe_b64encode(key)
