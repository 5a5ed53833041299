"""The service under a path, as MOSS_URL names it, behind a real nginx that serves nothing else."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser

from submissions.models import Batch, Course
from tests.conftest import PASSWORD
from tests.moss.embedded.test_embedded import environment
from tests.moss.test_settings import settings_with
from tests.support.api import secret_of
from tests.support.every_page import World, addresses
from tests.support.html import Page
from tests.support.identity_provider import ENTITY, Asked, IdentityProvider
from tests.support.nginx import running_nginx
from tests.support.other_environment import run
from tests.support.platform import LearningPlatform
from tests.support.web_server import ask, web_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
]

ELSEWHERE = 418
CONFIGURATION = """
access_log off;
client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
server {{
  listen 127.0.0.1:{port};
  location /moss/ {{ proxy_pass http://127.0.0.1:{web}{taken}; proxy_set_header Host $http_host; }}
  location / {{ return 418; }}
}}
"""


@pytest.fixture(
    params=[
        "the whole address is passed on",
        pytest.param("the proxy takes the path away", marks=pytest.mark.long),
    ]
)
def site(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    free_port: int,
    running_identity_provider: IdentityProvider,
) -> Iterator[str]:
    """Return the origin of the proxy in front of a server with a provider of SAML."""
    origin = f"http://localhost:{free_port}"
    saml = {
        "MOSS_SAML_ENTITY_ID": ENTITY,
        "MOSS_SAML_SSO_URL": running_identity_provider.url,
        "MOSS_SAML_CERTIFICATE": running_identity_provider.certificate,
    }
    with web_server(MOSS_URL=f"{origin}/moss", SCRIPT_NAME="/moss", **saml) as web:
        assert ask(web, "/healthz").status == 200
        text = CONFIGURATION.format(
            folder=tmp_path, port=free_port, web=web, taken="/" if "takes" in request.param else ""
        )
        with running_nginx(tmp_path, text):
            yield origin


def signed_in(user: User) -> requests.Session:
    client = Client()
    client.force_login(user)
    session = requests.Session()
    session.cookies.set(settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value)
    return session


def paths_in(html: str) -> set[str]:
    """Return every value of an attribute that is a path of this host."""
    values = [value for _, value in Page(html).attributes() if value]
    return {value for value in values if value.startswith("/") and not value.startswith("//")}


@pytest.mark.long
def test_every_page_leads_only_to_what_is_under_the_path(site: str, world: World) -> None:
    session, files, pages = signed_in(world.owner), set(), 0
    for name, address in addresses(world).items():
        response = session.get(f"{site}/moss{address}", timeout=60)
        assert response.status_code not in {ELSEWHERE, 500, 502}, name
        assert all(urlsplit(one.headers["Location"]).path.startswith("/moss/") for one in response.history), name
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        pages += 1
        paths = paths_in(response.text)
        # A name of a file of a student begins with no slash, so that these are addresses.
        assert {path for path in paths if not path.startswith("/moss/")} == set(), name
        files |= {path for path in paths if path.startswith("/moss/static/")}
    assert pages > 30
    assert len(files) > 10
    for path in sorted(files):
        assert session.get(site + path, timeout=60).status_code == 200, path


@pytest.mark.long
def test_redirects_the_api_and_lti_name_the_path(site: str, world: World, lms: LearningPlatform) -> None:
    start = requests.get(f"{site}/moss/", timeout=60, allow_redirects=False)
    assert start.headers["Location"] == "/moss/accounts/login/?next=/moss/"
    caller = requests.Session()
    caller.headers["Authorization"] = f"Bearer {secret_of(world.owner)}"
    api = f"{site}/moss/api/v1"
    assert caller.get(f"{api}/courses", timeout=60).status_code == 200
    begun = caller.post(
        f"{api}/assignments/{world.assignment.pk}/resumable", headers={"Upload-Length": "5"}, timeout=60
    )
    assert begun.headers["Location"].startswith("/moss/api/v1/resumable/")
    assert requests.get(f"{api}/courses", timeout=60).json()["type"] == "/moss/api/docs#problem-401"
    assert "/moss/api/v1/courses" in requests.get(f"{api}/openapi.json", timeout=60).json()["paths"]
    share = caller.post(f"{api}/assignments/{world.assignment.pk}/shares", json={}, timeout=60).json()["url"]
    assert share.startswith(f"{site}/moss/shared/")
    assert requests.get(share, timeout=60).status_code == 200
    query = {"iss": lms.row.issuer, "client_id": lms.row.client_id, "login_hint": "7"}
    asked = requests.get(f"{site}/moss/lti/login/", query, timeout=60, allow_redirects=False)
    sent = parse_qs(urlsplit(asked.headers["Location"]).query)
    assert sent["redirect_uri"] == [f"{site}/moss/lti/launch/"]


@pytest.mark.long
def test_a_response_of_saml_is_for_the_address_under_the_path(
    site: str, running_identity_provider: IdentityProvider
) -> None:
    provider, visitor = running_identity_provider, requests.Session()
    provider.enrol("dora")
    begun = visitor.get(f"{site}/moss/accounts/saml/campus/login/", timeout=60, allow_redirects=False)
    asked = Asked.of(begun.headers["Location"])
    assert asked.address == f"{site}/moss/accounts/saml/campus/acs/"
    response = provider.response(asked, provider.assertion(asked, "dora"))
    arrived = visitor.post(asked.address, {"SAMLResponse": response, "RelayState": ""}, timeout=60)
    assert arrived.url == f"{site}/moss/"
    assert "dora" in Page(arrived.text).text("header")


@pytest.mark.long
def test_scripts_of_the_pages_stay_under_the_path(site: str, browser: Browser, alice: User, tmp_path: Path) -> None:
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    (tmp_path / "ada.py").write_text("print(1)\n")
    context = browser.new_context(base_url=site)
    page, missing = context.new_page(), list[str]()
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    page.goto("/moss/")
    page.fill("input[name=username]", "alice")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{site}/moss/")
    page.goto(f"/moss{assignment.get_absolute_url()}")
    page.set_input_files("form[data-upload] input[type=file]", tmp_path / "ada.py")
    page.click("form[data-upload] button.primary")
    page.wait_for_url("**/moss/batches/**")
    assert Batch.objects.count() == 1
    page.wait_for_load_state("networkidle")
    assert missing == []
    context.close()


BACKGROUND = """
import json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "moss.settings"
import django
django.setup()
from django.conf import settings
from django.urls import reverse
from submissions.models import Assignment
from moss.integrations.webhooks.sending import absolute, of_report
report = of_report(Assignment(pk=7), 8)
print(json.dumps([
    absolute(reverse("courses")), report["api_url"], report["page_url"], settings.STATIC_URL,
    settings.SECURE_REDIRECT_EXEMPT,
]))
"""


@pytest.mark.long
def test_what_is_sent_in_the_background_names_the_path(tmp_path: Path) -> None:
    variables = environment(tmp_path, MOSS_URL="https://example.org/moss/", MOSS_RESULTS_HTTP="true")
    printed = run(BACKGROUND, variables)
    assert printed.returncode == 0, printed.stderr
    assert json.loads(printed.stdout) == [
        "https://example.org/moss/",
        "https://example.org/moss/api/v1/assignments/7/report",
        "https://example.org/moss/assignments/7/",
        "/moss/static/",
        ["^moss/healthz$", "^moss/results/"],
    ]


def test_another_path_for_gunicorn_is_refused(tmp_path: Path) -> None:
    refused = settings_with(tmp_path, SCRIPT_NAME="/other", MOSS_URL="https://example.org/moss")
    assert refused.returncode != 0
    assert "SCRIPT_NAME says '/other', and the path of MOSS_URL is '/moss'" in refused.stderr
