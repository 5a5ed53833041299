"""Addresses of platforms: which are taken, and the origins that they have."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

DEFAULT_PORTS = {"https": 443, "http": 80}


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name or number."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def origin(address: str) -> str:
    """Return scheme, host and port of an address with HTTPS, or of this machine; empty for any other one."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or ""), parts.port
    except ValueError:
        return ""
    if not host or parts.username or not (parts.scheme == "https" or _is_local_http(parts.scheme, host)):
        return ""
    bracketed = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{bracketed}:{port or DEFAULT_PORTS[parts.scheme]}"


def _is_local_http(scheme: str, host: str) -> bool:
    return scheme == "http" and is_loopback(host)


def check_address(address: str) -> None:
    """Raise ValidationError for an address without HTTPS that is not of this machine."""
    if any(character.isspace() for character in address) or not origin(address):
        raise ValidationError(
            _("“%(address)s” is no address that begins with https:// and names a host."),
            params={"address": address},
        )


def check_addresses(text: str) -> None:
    """Raise ValidationError where a line is no address."""
    for line in text.split():
        check_address(line)
