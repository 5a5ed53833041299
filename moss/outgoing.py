"""Requests to other services: without redirects, with limits of time, and only to where they may go.

A name is resolved once, and the request goes to the IP address that was checked, so that a name that means
another machine a moment later leads nowhere else.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Timer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

    Address = IPv4Address | IPv6Address
    Networks = Sequence[IPv4Network | IPv6Network]

# Seconds to connect, between two parts of an answer, and for its head, in however many parts.
CONNECT_SECONDS, SILENCE_SECONDS, HEAD_SECONDS = 5, 10, 20.0


# What the IANA registries of special-purpose addresses do not call globally reachable, with what stands for
# addresses of version 4 and with all protocols' own blocks. `ipaddress` has lists too, but they differ from
# one patch version of Python to the next.
UNICAST = ip_network("2000::/3")
NOT_PUBLIC = [
    ip_network(one)
    for one in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
]  # fmt: skip


class UnknownHost(Exception):
    """Nobody knows the name of a host; the message is for the log."""


class ForbiddenHost(Exception):
    """A host is at an IP address that no request may go to; the message is for the log."""


def is_public(ip: Address) -> bool:
    """Return whether an IP address is that of a machine on the internet.

    Loopback, private, link-local and shared networks are not, nor are multicast and reserved addresses,
    nor addresses of version 6 that stand for any of version 4.
    """
    is_unicast = isinstance(ip, IPv4Address) or ip in UNICAST
    return is_unicast and not any(ip in network for network in NOT_PUBLIC)


def may_reach(ip: Address, scheme: str, networks: Networks) -> bool:
    """Return whether requests may go to an IP address: a public one by HTTPS, or a listed one."""
    return (scheme == "https" and is_public(ip)) or any(ip in network for network in networks)


def resolve(address: str, networks: Networks) -> Address:
    """Return the IP address of a web address's host, which is public or in one of the networks.

    Raises UnknownHost when the name of the host leads to no IP address. Raises ForbiddenHost when one of its
    IP addresses may not be asked.
    """
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost(f"{host:.200}: {error!s:.200}") from error
    ips = [ip_address(row[4][0]) for row in rows]
    if refused := [ip for ip in ips if not may_reach(ip, parts.scheme, networks)]:
        raise ForbiddenHost(f"{host:.200} is at {refused[0]}")
    # A container often has a way to version 4 only.
    return min(ips, key=lambda ip: ip.version)


@contextmanager
def answer_of(method: str, address: str, *, networks: Networks, **options: Any) -> Iterator[Response]:
    """Send a request; yield the answer, of which only the head was read.

    It goes straight to the IP address that was checked, without a proxy of the environment. The certificate
    is checked for the name. Raises UnknownHost or ForbiddenHost as `resolve` does. Raises
    requests.RequestException when there is no answer.
    """
    headers = {**options.pop("headers", {}), "Accept-Encoding": "identity"}
    with requests.Session() as session:
        session.trust_env = False
        session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
        adapter = OneAddress(resolve(address, networks))
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        headers["Host"] = urlsplit(address).netloc
        with _response(session, method, address, headers=headers, **options) as response:
            yield response


def _response(session: requests.Session, method: str, address: str, **options: Any) -> Response:
    """Send a request; return the answer, of which only the head was read.

    Requests looks at a redirect that it does not follow, and which addresses it can read depends on the
    version of Python.
    """
    try:
        return session.request(
            method, address, timeout=(CONNECT_SECONDS, SILENCE_SECONDS), allow_redirects=False, stream=True, **options
        )
    except requests.RequestException:
        raise
    except ValueError as error:
        raise requests.exceptions.InvalidURL(f"{address:.200}: {error!s:.200}") from error


class OneAddress(HTTPAdapter):
    """Connect to this IP address, whatever the name of the host is; certificates must be for the name."""

    def __init__(self, ip: Address) -> None:
        super().__init__()
        self.ip = ip

    def build_connection_pool_key_attributes(self, request: PreparedRequest, verify: Any, cert: Any = None) -> Any:
        """Return where to connect to, and how; the types of both are private to requests."""
        host, options = super().build_connection_pool_key_attributes(request, verify, cert)
        pool: dict[str, Any] = {**options}
        if host["scheme"] == "https":
            pool |= {"server_hostname": host["host"], "assert_hostname": host["host"]}
        return {**host, "host": str(self.ip)}, pool

    def get_connection_with_tls_context(self, *request: Any, **options: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*request, **options)
        pool.ConnectionCls = type("Timed", (TimedHead, pool.ConnectionCls), {})
        return pool


class TimedHead:
    """A connection that ends where the head of an answer has not come in HEAD_SECONDS."""

    sock: socket.socket

    def getresponse(self) -> Any:
        timer = Timer(HEAD_SECONDS, self.sock.shutdown, [socket.SHUT_RDWR])
        timer.start()
        try:
            return super().getresponse()  # type: ignore[misc] # the other base has it
        finally:
            timer.cancel()


DEFAULT_PORTS = {"https": 443, "http": 80}


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name or IP address."""
    try:
        ip = ip_address(host)
    except ValueError:
        return host == "localhost"
    # Python's own answer for a mapped address of version 4 depends on its version.
    return (ip.ipv4_mapped or ip).is_loopback if isinstance(ip, IPv6Address) else ip.is_loopback


def _is_host(netloc: str, host: str) -> bool:
    """Return whether brackets are only around an address of version 6; not every urlsplit looks at them."""
    if not {"[", "]"} & set(netloc):
        return True
    start, bracketed, rest = netloc.lower().partition(f"[{host}]")
    try:
        return bool(bracketed) and not start and rest[:1] in {"", ":"} and ip_address(host).version == 6  # noqa: PLR2004 - of IP
    except ValueError:
        return False


def web_origin(address: str) -> str:
    """Return scheme, host and port of an address with HTTP or HTTPS and no user; empty for any other one."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or ""), parts.port
    except ValueError:
        return ""
    if not host or parts.username is not None or parts.scheme not in DEFAULT_PORTS:
        return ""
    if not address.isprintable() or address.startswith(" ") or not _is_host(parts.netloc, host):
        return ""
    bracketed = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{bracketed}:{port or DEFAULT_PORTS[parts.scheme]}"
