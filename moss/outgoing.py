"""Requests to other services: without redirects, with limits of time, and only to where they may go.

A name is resolved once, and the request goes to the number that was checked, so that a name that means
another machine a moment later leads nowhere else.
"""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from requests import PreparedRequest, Response

    Number = IPv4Address | IPv6Address

# Seconds to connect, and between two parts of an answer.
CONNECT_SECONDS, SILENCE_SECONDS = 5, 10


class UnknownHost(Exception):
    """Nobody knows the name of a host; the message is for the log."""


class ForbiddenHost(Exception):
    """A host is at a number that no request may go to; the message is for the log."""


def is_public(number: Number) -> bool:
    """Return whether a number is that of a machine on the internet.

    Loopback, private, link-local and shared networks are not, nor are multicast and reserved numbers, nor
    numbers of version 6 that stand for any of version 4.
    """
    if isinstance(number, IPv6Address) and (number.sixtofour or number.teredo or number.ipv4_mapped):
        return False
    return number.is_global and not (number.is_multicast or number.is_reserved)


def resolve(address: str, may_ask: Callable[[Number], bool]) -> Number:
    """Return the number of an address's host.

    Raises
    ------
    UnknownHost
        When the name of the host leads to no number.
    ForbiddenHost
        When one of its numbers is none that may be asked.
    """
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost(f"{host:.200}: {error!s:.200}") from error
    numbers = [ip_address(row[4][0]) for row in rows]
    if refused := [number for number in numbers if not may_ask(number)]:
        raise ForbiddenHost(f"{host:.200} is at {refused[0]}")
    # A container often has a way to version 4 only.
    return min(numbers, key=lambda number: number.version)


@contextmanager
def answer_of(
    method: str, address: str, *, may_ask: Callable[[Number], bool] | None = None, **options: Any
) -> Iterator[Response]:
    """Send a request; yield the answer, of which only the head was read.

    With `may_ask`, it goes straight to the number that was checked, and no proxy of the environment is used.
    Certificates are checked for the name in any case.

    Raises
    ------
    UnknownHost, ForbiddenHost
        As `resolve` does.
    requests.RequestException
        When there is no answer.
    """
    headers = {**options.pop("headers", {}), "Accept-Encoding": "identity"}
    with requests.Session() as session:
        if may_ask:
            session.trust_env = False
            session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
            adapter = OneNumber(resolve(address, may_ask))
            session.mount("https://", adapter)
            session.mount("http://", adapter)
            headers["Host"] = urlsplit(address).netloc
        with session.request(
            method,
            address,
            headers=headers,
            timeout=(CONNECT_SECONDS, SILENCE_SECONDS),
            allow_redirects=False,
            stream=True,
            **options,
        ) as response:
            yield response


class OneNumber(HTTPAdapter):
    """Connect to this number, whatever the name of the host is; certificates must be for the name."""

    def __init__(self, number: Number) -> None:
        super().__init__()
        self.number = number

    def build_connection_pool_key_attributes(
        self,
        request: PreparedRequest,
        verify: Any,
        cert: Any = None,
    ) -> Any:
        """Return where to connect to, and how; the types of both are private to requests."""
        host, options = super().build_connection_pool_key_attributes(request, verify, cert)
        pool: dict[str, Any] = {**options}
        if host["scheme"] == "https":
            pool |= {"server_hostname": host["host"], "assert_hostname": host["host"]}
        return {**host, "host": str(self.number)}, pool


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
