"""npm's oidc-provider on loopback, and a person who walks through its pages to the live server."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.support.campus import use_provider
from tests.support.html import Page

SCRIPT = Path(__file__).parent / "oidc" / "provider.mjs"
# `make .venv/oidc/made` installs it here.
FOLDER = Path(sys.prefix) / "oidc"
CALLBACK = "/accounts/oidc/campus/login/callback/"


class OidcProvider:
    """A running provider. Its accounts take any password."""

    def __init__(self, url: str, accounts: Path) -> None:
        self.url, self.accounts = url, accounts

    def enrol(self, name: str, **claims: Any) -> None:
        """Store an account of the provider with what it says about it."""
        known = json.loads(self.accounts.read_text())
        self.accounts.write_text(json.dumps(known | {name: {"preferred_username": name, **claims}}))


class Visitor:
    """A person with the cookies of both sites, who follows links and sends forms."""

    def __init__(self, service: str) -> None:
        self.service, self.session = service, requests.Session()

    def open(self, address: str) -> requests.Response:
        return self.session.get(urljoin(self.service, address), timeout=60)

    def follow(self, response: requests.Response, selector: str) -> requests.Response:
        """Open the only link of a page that a CSS selector matches."""
        address = Page(response.text).one(selector).attributes["href"] or ""
        return self.open(urljoin(response.url, address))

    def submit(self, response: requests.Response, selector: str = "form", **fields: str) -> requests.Response:
        """Send the only form of a page that a CSS selector matches, with its hidden fields."""
        page = Page(response.text)
        hidden = f"{selector} input[type=hidden]"
        values = zip(page.values(hidden, "name"), page.values(hidden, "value"), strict=True)
        address = page.one(selector).attributes["action"] or ""
        return self.session.post(urljoin(response.url, address), {**dict(values), **fields}, timeout=60)

    def choose_campus(self) -> requests.Response:
        """Go to a page of the service and from there to the provider."""
        return self.follow(self.open("/account/"), ".campus a")

    def sign_in(self, name: str) -> requests.Response:
        """Sign in with a campus account and consent; return the page of the service that follows."""
        consent = self.submit(self.choose_campus(), login=name, password="any")
        return self.submit(consent)


@pytest.fixture(scope="session")
def running_oidc_provider(live_server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OidcProvider]:
    """Start a provider in a process of its own, which knows the live server."""
    if not (shutil.which("node") and (FOLDER / "made").exists()):
        pytest.skip("npm's oidc-provider is not installed: make .venv/oidc/made")
    accounts = tmp_path_factory.mktemp("oidc") / "accounts.json"
    command = ["node", "--input-type=module", "-", str(accounts), live_server.url + CALLBACK]
    with (
        SCRIPT.open() as script,
        subprocess.Popen(command, cwd=FOLDER, stdin=script, stdout=subprocess.PIPE, text=True) as server,
    ):
        # Warnings that it is no provider for a campus come before its address.
        address = next((line.strip() for line in server.stdout or () if line.startswith("http")), None)
        try:
            assert address, "the provider did not start"
            yield OidcProvider(address, accounts)
        finally:
            server.terminate()


@pytest.fixture
def oidc_provider(running_oidc_provider: OidcProvider, settings: Settings) -> OidcProvider:
    running_oidc_provider.accounts.write_text("{}")
    use_provider(settings, running_oidc_provider.url)
    return running_oidc_provider


@pytest.fixture
def visitor(live_server: LiveServer) -> Visitor:
    return Visitor(live_server.url)
