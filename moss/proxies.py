"""Headers that proxies add to requests, which are believed only where a stated proxy sent the request."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

FORWARDED = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
)


class TrustedProxies:
    """Drop the headers of proxies from requests that another address sent.

    This has to come before every middleware that asks whether the request came by HTTPS.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.networks = [ip_network(network) for network in settings.PROXY_ADDRESSES]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.PROXIES or not self._is_stated(request.META.get("REMOTE_ADDR", "")):
            for name in FORWARDED:
                request.META.pop(name, None)
        return self.get_response(request)

    def _is_stated(self, sender: str) -> bool:
        with suppress(ValueError):  # Without an address, as of a Unix socket, it is none that was stated.
            address = ip_address(sender)
            return any(address in network for network in self.networks)
        return False


def client_address(request: HttpRequest) -> str | None:
    """Return the address of the client, as the outermost of `MOSS_PROXIES` proxies saw it; None if unknown.

    A client can begin X-Forwarded-For with anything, so only the entries that the proxies added count.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-settings.PROXIES :]
    if settings.PROXIES and len(forwarded) == settings.PROXIES:
        with suppress(ValueError):  # Not an address: it was not a proxy that wrote it.
            return str(ip_address(forwarded[0].strip()))
    return request.META.get("REMOTE_ADDR") or None
