"""A provider of campus accounts on loopback, and the settings that lead to it.

It is a package of Python and has no pages, so that every test of accounts and their pages runs without Node.
`oidc_provider` has the one of npm, which is independent of the libraries that this service uses.
"""

import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.http import HttpResponseBase
from django.test import Client
from pytest_django.fixtures import Settings

from tests.conftest import wait_until
from tests.support.ports import free_port_number


class Campus:
    """A running provider; `sign_in` walks through it as a browser does."""

    def __init__(self, url: str) -> None:
        self.url = url

    def enrol(self, name: str, /, **claims: Any) -> None:
        """Store an account of the provider with what it says about it."""
        requests.put(f"{self.url}/users/{name}", json={"preferred_username": name, **claims}, timeout=60)

    def sign_in(self, client: Client, name: str, **query: str) -> HttpResponseBase:
        """Sign in with a campus account; return the answer to what the provider sent back."""
        asked = client.get("/accounts/oidc/campus/login/", query)
        authorize = asked.headers["Location"]
        assert authorize.startswith(self.url)
        granted = requests.post(authorize, data={"sub": name}, timeout=60, allow_redirects=False)
        back = urlsplit(granted.headers["Location"])
        return client.get(f"{back.path}?{back.query}")


@pytest.fixture(scope="session")
def provider() -> Iterator[str]:
    """Start a provider in a process of its own, and return its address."""
    port = free_port_number()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(port), what="the provider of campus accounts")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def campus(provider: str, settings: Settings) -> Campus:
    use_provider(settings, provider)
    return Campus(provider)


def use_provider(settings: Settings, address: str, secret: str = "only-for-tests") -> None:
    """Let people sign in with the accounts of a provider, which knows this service as `moss`."""
    settings.OIDC_URL, settings.OIDC_NAME = address, "Example University"
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "campus",
                    "name": "Example University",
                    "client_id": "moss",
                    "secret": secret,
                    "settings": {"server_url": address},
                }
            ],
        }
    }
