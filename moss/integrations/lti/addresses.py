"""Addresses of platforms: which are taken, and the origins that they have."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from moss.outgoing import is_loopback, web_origin


def origin(address: str) -> str:
    """Return scheme, host and port of an address with HTTPS, or of this machine; empty for any other one."""
    web = web_origin(address)
    return web if web.startswith("https:") or is_loopback(urlsplit(web).hostname or "") else ""


def check_address(address: str) -> None:
    """Raise ValidationError for an address without HTTPS that is not of this machine."""
    if any(character.isspace() for character in address) or not origin(address):
        raise ValidationError(
            _("“%(address)s” is not an address that begins with https:// and names a host."),
            params={"address": address},
        )


def check_addresses(text: str) -> None:
    """Raise ValidationError where a line is no address."""
    for line in text.split():
        check_address(line)
