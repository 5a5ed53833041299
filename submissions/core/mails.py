"""Mails to people, each in the language of the person who gets it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from smtplib import SMTPException
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in no language yet: `names` are put into the lazy `subject`, and `context` into the template.

    Labels in `context` are lazy, too.
    """

    subject: _StrPromise | str
    template: str
    context: Mapping[str, object]
    names: Mapping[str, str] = field(default_factory=dict)

    def send_to(self, user: User) -> bool:
        """Send it in the user's language; return whether the user has an address and the server took it."""
        return bool(user.email) and self.send(user.email, language_of(user))

    def send(self, address: str, language: str) -> bool:
        """Send it in a language; return whether the mail server took it."""
        with override(language):
            subject = " ".join(str(self.subject).format(**self.names).split())
            text = render_to_string(self.template, {**self.context}).strip() + "\n"
        try:
            send_mail(subject, text, None, [address])
        except (OSError, SMTPException) as error:
            logger.warning("a mail could not be sent (%s): %s", self.template, error)
            return False
        return True


def public_address(request: HttpRequest, path: str) -> str:
    """Return the whole address of a path, to give away: under MOSS_URL, else as the request came."""
    return f"{settings.PUBLIC_ORIGIN}{path}" if settings.HAS_PUBLIC_URL else request.build_absolute_uri(path)


def language_of(user: User) -> str:
    """Return the language of a user's pages when they last signed in or chose; else that of the service."""
    chosen = User.objects.filter(pk=user.pk).values_list("mail_choice__language", flat=True)
    return chosen.first() or settings.LANGUAGE_CODE


def language_at(address: str) -> str:
    """Return the language of the one account with a mail address; without it, that of this page."""
    users = list(User.objects.filter(email__iexact=address)[:2])
    return language_of(users[0]) if len(users) == 1 else get_language() or settings.LANGUAGE_CODE
