"""Dynamic registration: with an address that works once, and with a platform that answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.lti.models import Platform, RegistrationAddress
from moss.integrations.lti.views import HOLDS, PLATFORM, TOOL
from tests.support.html import get_page, page_of
from tests.support.platform import DEPLOYMENT, SCOPE, LearningPlatform
from tests.support.receiver import Receiver

pytestmark = pytest.mark.services


@pytest.fixture
def address(admin_client: Client) -> str:
    """The path of a new address for a registration."""
    response = admin_client.post(reverse("lti_offer_registration"))
    (field,) = page_of(response).all(".copy input")
    return str(field.attributes["value"]).removeprefix("http://testserver")


def handed_over(lms: LearningPlatform, **changes: str) -> dict[str, str]:
    """Return what the platform adds to the address."""
    configuration = f"{lms.url}/configuration"
    return {"openid_configuration": configuration, "registration_token": "the-registration-token"} | changes


def register(lms: LearningPlatform, address: str, **changes: str) -> HttpResponseBase:
    """Open the address and press its button, as in a frame: without any cookie."""
    client = Client(enforce_csrf_checks=True)
    page = page_of(client.get(address, handed_over(lms, **changes)))
    hidden = [one.attributes for one in page.all("form.card input")]
    fields = {str(one["name"]): str(one["value"]) for one in hidden}
    response: HttpResponseBase = client.post(address, fields or handed_over(lms, **changes))
    return response


def new_platform(lms: LearningPlatform) -> Platform:
    return Platform.objects.exclude(pk=lms.row.pk).get()


def test_a_platform_is_stored_with_what_it_says_and_gets_the_addresses_of_this_service(
    lms: LearningPlatform, address: str
) -> None:
    lms.server.registration_answer = {TOOL: {"deployment_id": "deployment-9"}}
    response = register(lms, address)
    assert response.status_code == 200
    assert "example (127.0.0.1) is registered" in page_of(response).text("h1")
    row = new_platform(lms)
    assert (row.name, row.issuer, row.client_id) == ("example (127.0.0.1)", lms.url, "tool-7")
    assert (row.auth_url, row.token_url) == (f"{lms.url}/auth", f"{lms.url}/token")
    assert (row.jwks_url, row.deployments, row.service_urls) == (f"{lms.url}/keys", "deployment-9", "")
    assert not row.trusts_mail
    (tool,) = lms.server.registered
    assert tool["initiate_login_uri"] == "http://testserver/lti/login/"
    assert tool["redirect_uris"] == ["http://testserver/lti/launch/"]
    assert tool["jwks_uri"] == "http://testserver/lti/keys/"
    assert (tool["scope"], tool[TOOL]["domain"]) == (SCOPE, "testserver")
    kinds = {message["type"] for message in tool[TOOL]["messages"]}
    assert kinds == {"LtiResourceLinkRequest", "LtiDeepLinkingRequest"}


def test_people_come_from_a_platform_that_was_registered_by_itself(
    lms: LearningPlatform, address: str, client: Client
) -> None:
    lms.server.registration_answer = {TOOL: {"deployment_id": DEPLOYMENT}}
    register(lms, address)
    begun = lms.begin(client, iss=lms.url, client_id="tool-7")
    claims = lms.claims(begun["nonce"]) | {"iss": lms.url, "aud": "tool-7"}
    response = lms.send(client, begun["state"], lms.server.sign(claims))
    assert response.status_code == 302
    assert User.objects.filter(platform_accounts__platform=new_platform(lms)).exists()


def test_without_a_deployment_the_first_launch_says_which_one_to_add(
    lms: LearningPlatform, address: str, client: Client
) -> None:
    assert "named no deployment" in page_of(register(lms, address)).text("main")
    begun = lms.begin(client, iss=lms.url, client_id="tool-7")
    claims = lms.claims(begun["nonce"]) | {"iss": lms.url, "aud": "tool-7"}
    refused = lms.send(client, begun["state"], lms.server.sign(claims))
    assert refused.status_code == 403
    assert DEPLOYMENT in page_of(refused).text("main")


def test_an_address_works_once(lms: LearningPlatform, address: str) -> None:
    assert register(lms, address).status_code == 200
    response = register(lms, address)
    assert (response.status_code, "used already" in page_of(response).text("main")) == (403, True)
    assert len(lms.server.registered) == 1


def test_an_address_works_for_an_hour(lms: LearningPlatform, address: str) -> None:
    RegistrationAddress.objects.update(created=timezone.now() - HOLDS - timedelta(seconds=1))
    assert register(lms, address).status_code == 403
    assert not lms.server.asked


def test_the_key_of_an_address_is_nowhere_in_the_database(address: str) -> None:
    key = address.strip("/").split("/")[-1]
    row = RegistrationAddress.objects.get()
    assert key not in {row.digest, str(row)}
    assert len(key) > 40


def test_opening_the_address_asks_the_platform_for_nothing(lms: LearningPlatform, address: str) -> None:
    client = Client()
    page = get_page(client, f"{address}?openid_configuration={lms.url}/configuration")
    assert f"Register {lms.url.removeprefix('http://')}" in page.texts("form.card button")
    assert lms.server.asked == []
    assert RegistrationAddress.objects.exists()


def test_the_page_may_be_in_a_frame_of_any_platform(lms: LearningPlatform, address: str) -> None:
    response = Client().get(address, handed_over(lms))
    assert "X-Frame-Options" not in response.headers
    assert "frame-ancestors *" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "configuration", ["", "http://lms.example/c", "file:///etc/passwd", "https://a:b@lms/"]
)
def test_a_configuration_that_is_no_address_with_https_is_refused(
    lms: LearningPlatform, address: str, configuration: str
) -> None:
    response = register(lms, address, openid_configuration=configuration)
    assert response.status_code == 403
    assert "where its configuration is" in page_of(response).text("main")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"issuer": "https://other.example"}, "is not at 127.0.0.1"),
        ({"issuer": None}, "issuer is None"),
        ({"token_endpoint": "http://lms.example/token"}, "token_endpoint is no address"),
        ({"jwks_uri": ["x"]}, "jwks_uri is no address"),
        ({"registration_endpoint": "https://other.example/register"}, "no host that is stored"),
    ],
)
def test_a_configuration_that_is_not_as_lti_says_stores_nothing_and_keeps_the_address(
    lms: LearningPlatform,
    address: str,
    changes: dict[str, Any],
    why: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    lms.server.configuration = changes
    response = register(lms, address)
    assert response.status_code == 422
    assert "did not answer as LTI 1.3 says" in page_of(response).text("main")
    assert why in caplog.text
    assert Platform.objects.count() == 1
    lms.server.configuration = {}
    assert register(lms, address).status_code == 200


@pytest.mark.parametrize("name", ["registration_endpoint", "openid_configuration"])
def test_nothing_is_sent_to_a_port_of_this_machine_unless_its_network_is_listed(
    name: str, lms: LearningPlatform, address: str, receiver: Receiver, settings: Settings
) -> None:
    """The receiver is any service of this machine; `127.0.0.2` is not in the list of these tests."""
    local = f"http://127.0.0.2:{receiver.server_port}/"
    lms.server.configuration = {"registration_endpoint": local, "jwks_uri": local}
    if name == "openid_configuration":
        assert register(lms, address, openid_configuration=local).status_code == 422
    else:
        assert register(lms, address).status_code == 422
    assert receiver.received == []
    settings.WEBHOOK_NETWORKS = []
    asked = len(lms.server.asked)
    assert register(lms, address).status_code == 422
    assert len(lms.server.asked) == asked
    assert Platform.objects.count() == 1


def test_a_platform_that_refuses_the_tool_is_not_stored(lms: LearningPlatform, address: str) -> None:
    assert register(lms, address, registration_token="another").status_code == 422
    assert Platform.objects.count() == 1


@pytest.mark.parametrize("client_id", [None, "", 7, "x" * 300])
def test_an_answer_without_a_client_id_stores_nothing(
    lms: LearningPlatform, address: str, client_id: object
) -> None:
    lms.server.registration_answer = {"client_id": client_id}
    assert register(lms, address).status_code == 422
    assert Platform.objects.count() == 1


def test_a_second_registration_of_one_platform_has_another_name_and_client_id(
    lms: LearningPlatform, admin_client: Client, address: str
) -> None:
    register(lms, address)
    lms.server.registration_answer = {"client_id": "tool-8"}
    (field,) = page_of(admin_client.post(reverse("lti_offer_registration"))).all(".copy input")
    register(lms, str(field.attributes["value"]).removeprefix("http://testserver"))
    names = set(Platform.objects.values_list("name", flat=True))
    assert names == {"Example LMS", "example (127.0.0.1)", "example (127.0.0.1) 2"}


def test_a_platform_that_is_registered_already_is_said(lms: LearningPlatform, address: str) -> None:
    Platform.objects.filter(pk=lms.row.pk).update(issuer=lms.url, client_id="tool-7")
    response = register(lms, address)
    assert (response.status_code, "stored already" in page_of(response).text("main")) == (403, True)
    assert RegistrationAddress.objects.exists()


def test_a_platform_that_sends_notices_is_asked_for_no_service_of_them(
    lms: LearningPlatform, address: str
) -> None:
    notices = ["LtiHelloWorldNotice", "LtiAssetProcessorSubmissionNotice"]
    lms.server.configuration = {PLATFORM: {"notice_types_supported": notices}}
    register(lms, address)
    (tool,) = lms.server.registered
    assert tool["scope"] == SCOPE
    messages = [(one["type"], "placements" in one) for one in tool[TOOL]["messages"]]
    assert messages == [("LtiResourceLinkRequest", False), ("LtiDeepLinkingRequest", False)]
