"""Addresses of the web that people enter: which are taken, and the origins that they have."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

DEFAULT_PORTS = {"https": 443, "http": 80}


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name or number."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def web_origin(address: str) -> str:
    """Return scheme, host and port of an address with HTTP or HTTPS and no user; empty for any other one."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or ""), parts.port
    except ValueError:
        return ""
    if not host or parts.username is not None or parts.scheme not in DEFAULT_PORTS:
        return ""
    bracketed = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{bracketed}:{port or DEFAULT_PORTS[parts.scheme]}"
