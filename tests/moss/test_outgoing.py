"""What web addresses and IP addresses are, which does not depend on the version of Python."""

import json
import socket
import subprocess
import sys
import time
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Thread

import pytest
import requests
from hypothesis import given, strategies as st

from moss import outgoing
from moss.outgoing import is_loopback, is_public, may_reach, web_origin
from tests.support.paths import ROOT

numbers = st.one_of(
    st.ip_addresses(),
    st.integers(0, 2**16 - 1).map(lambda end: IPv6Address((0x2001 << 112) + (end << 96))),
    st.integers(0, 2**32 - 1).map(lambda number: IPv6Address((0x2002 << 112) + (number << 80))),
    st.integers(0, 2**16 - 1).map(lambda end: IPv4Address((192 << 24) + (end << 8))),
)


@given(numbers)
def test_what_is_public_is_so_to_every_version_of_python(ip: IPv4Address | IPv6Address) -> None:
    if is_public(ip):
        assert ip.is_global
        assert True not in {ip.is_multicast, ip.is_reserved, ip.is_loopback}


@pytest.mark.parametrize(
    ("number", "public"),
    [
        ("192.0.0.9", False), ("192.0.0.255", False), ("192.0.1.0", True), ("100.128.0.0", True),
        ("2001:1::1", False), ("2001:200::1", True), ("2001:db8::1", False), ("2002::1", False),
        ("2003::1", True), ("3fff::1", False), ("3fff:1000::1", True), ("64:ff9b:1::1", False),
        ("4000::1", False), ("5f00::1", False), ("198.17.255.255", True), ("198.19.0.0", False),
    ],
)  # fmt: skip
def test_numbers_on_which_versions_of_python_differ_are_judged_by_the_products_own_list(
    number: str,
    public: bool,  # noqa: FBT001 - of the table
) -> None:
    assert is_public(ip_address(number)) is public


# The IANA registries of special-purpose addresses, but for what is globally reachable (AS112, AMT); old
# ones (6to4 relays, site-local), multicast, and what stands for addresses of version 4.
SPECIAL = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/128", "::1/128", "::/96", "::ffff:0:0/96",
    "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32",
    "2001:1::/128", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32",
    "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip


@pytest.mark.parametrize("network", SPECIAL)
def test_no_special_purpose_address_is_public(network: str) -> None:
    block = ip_network(network)
    for ip in (block[0], block[block.num_addresses // 2], block[-1]):
        assert not is_public(ip)
        assert not may_reach(ip, "https", [])


@given(st.ip_addresses(v=4))
def test_no_address_of_version_6_that_stands_for_one_of_version_4_is_public(ip: IPv4Address) -> None:
    """Mapped, compatible, translated, 6to4, Teredo (its bits flipped), and both prefixes of NAT64."""
    number = int(ip)
    forms = (
        (0xFFFF << 32) + number, number, (0xFFFF << 48) + number, (0x2002 << 112) + (number << 80),
        (0x20010000 << 96) + (number ^ 0xFFFFFFFF), (0x64FF9B << 96) + number,
        (0x64FF9B0001 << 80) + number,
    )  # fmt: skip
    assert not any(is_public(IPv6Address(form)) for form in forms)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
def test_a_host_is_this_machine_by_name_and_by_each_of_its_numbers(host: str) -> None:
    assert is_loopback(host)
    assert not is_loopback(f"{host}.example.org")


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Moss.example.org/a", "https://moss.example.org:443"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("https://[2001:DB8::1]", "https://[2001:db8::1]:443"),
        (" https://example.org", ""),
        ("\x01https://example.org", ""),
        ("https://exam\nple.org", ""),
        ("https://[example.org]/", ""),
        ("https://[127.0.0.1]/", ""),
        ("https://[v1.a]/", ""),
        ("https://a[::1]/", ""),
        ("https://[::1]a/", ""),
        ("https://[::1]a:80/", ""),
        ("https://a]b/", ""),
        ("https://[::1", ""),
        ("https://name@example.org", ""),
        ("ftp://example.org", ""),
    ],
)
def test_an_address_has_an_origin_only_where_its_host_is_one(address: str, origin: str) -> None:
    assert web_origin(address) == origin


@pytest.mark.parametrize(
    ("first", "again"),
    [(b"HTTP/1.1 200 OK\r\nX: ", b"a"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n")],
    ids=["drops", "later"],
)
def test_the_head_of_an_answer_that_never_ends_is_waited_for_only_so_long(
    first: bytes, again: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "HEAD_SECONDS", 0.5)

    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(first)
            for _ in range(600):
                connection.sendall(again)
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=answer, args=[listener], daemon=True).start()
        address, started = f"http://127.0.0.1:{listener.getsockname()[1]}/", time.monotonic()
        asked = outgoing.answer_of("GET", address, networks=[ip_network("127.0.0.0/8")])
        with suppress(requests.RequestException), asked:  # after a status, what came is the head
            pass
    assert time.monotonic() - started < 20


NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount", "--net"]


def test_a_resolver_that_changes_its_answers_leads_no_webhook_and_no_git_elsewhere() -> None:
    """A real resolver, real requests and the real git; the second address is of a service that counts."""
    try:
        subprocess.run([*NAMESPACES, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this machine gives no namespaces (unshare)")
    command = [*NAMESPACES, sys.executable, "-m", "tests.support.rebinding"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    told = json.loads(done.stdout)
    assert told["posted"] == {"once": [200, 1], "forbidden": ["forbidden", 1], "both": ["forbidden", 1]}
    assert told["fetched"].pop("after the question").startswith("This service may not fetch from the network")
    assert told["fetched"] == {"stays": "fetched", "after both checks": "fetched"}
    assert (told["reached"], told["trapped"]) == (1, 0)
