"""A rule for new passwords, beside those that Django has, and the sealed secrets of second factors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from allauth.mfa.adapter import DefaultMFAAdapter
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from submissions.core.database import opened, seal

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

# What somebody tries first who guesses passwords of this service.
WORDS = (
    *("moss", "plagiarism", "plagiat", "similarity", "submission", "assignment", "course", "report"),
    *("student", "instructor", "teacher", "university", "school", "admin", "login", "password", "welcome"),
)
FEWEST_OTHER_LETTERS = 4
PATTERN = re.compile("|".join(sorted(WORDS, key=len, reverse=True)), re.IGNORECASE)


class ServiceWordsValidator:
    """Refuse passwords that are words of this service with digits, signs and few letters around them."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:  # noqa: ARG002 - Django's signature
        rest = PATTERN.sub("", password)
        if rest != password and sum(character.isalpha() for character in rest) < FEWEST_OTHER_LETTERS:
            raise ValidationError(_("This password is made of words of this service. Add others."))

    def get_help_text(self) -> str:
        return _("Your password can't be made of words of this service, such as moss or course.")


class SealingAdapter(DefaultMFAAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Seal the secrets of authenticator apps and of recovery codes."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)
