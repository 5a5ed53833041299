"""Signing out by SAML, begun here or by the provider."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from lxml import etree

from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import USED
from moss.settings import KeyPair
from tests.support.html import get_page, page_of
from tests.support.identity_provider import ENTITY, IdentityProvider
from tests.support.saml_sign_out import HERE, message_of, sign_out_request, sign_out_response

pytestmark = pytest.mark.django_db


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def texts(message: etree._Element, name: str) -> list[str]:
    return [element.text for element in message.iter(f"{{*}}{name}")]


@pytest.fixture
def dora(provider_with_sign_out: IdentityProvider, client: Client) -> Client:
    """Return a browser in which dora is signed in."""
    provider_with_sign_out.enrol("dora")
    provider_with_sign_out.sign_in(client, "dora")
    return client


def test_signing_out_here_signs_out_at_the_provider(
    dora: Client, provider_with_sign_out: IdentityProvider, service_key_pair: KeyPair
) -> None:
    page = page_of(dora.post(reverse("logout")))
    assert not is_signed_in(dora)
    [address] = page.values("main a", "href")
    assert page.values("meta[http-equiv=refresh]", "content") == [f"0; url={address}"]
    assert address.startswith(f"{provider_with_sign_out.url}/sign-out?")
    request = message_of(address, "SAMLRequest", service_key_pair.certificate)
    assert texts(request, "NameID") == [provider_with_sign_out.name_ids["dora"]]
    assert texts(request, "SessionIndex") == ["_1"]
    back = dora.get(sign_out_response(provider_with_sign_out.key, request.get("ID")))
    assert back.headers["Location"] == reverse("login")


def test_a_provider_that_signs_nobody_out_is_told_on_a_page(
    dora: Client, provider_with_sign_out: IdentityProvider
) -> None:
    refused = dora.get(sign_out_response(provider_with_sign_out.key, "_1", "Responder"))
    assert refused.status_code == 400
    assert "Signing out of the campus account failed." in page_of(refused).text("main")


def test_who_did_not_come_from_the_provider_is_signed_out_here_alone(
    provider_with_sign_out: IdentityProvider, alice_client: Client
) -> None:
    assert alice_client.post(reverse("logout")).headers["Location"] == reverse("login")


def test_without_an_address_of_the_provider_signing_out_is_of_this_service_alone(
    encrypting_provider: IdentityProvider, client: Client
) -> None:
    encrypting_provider.enrol("dora")
    encrypting_provider.sign_in(client, "dora")
    assert client.get(sign_out_request(encrypting_provider.key, "x")).status_code == 404
    assert client.post(reverse("logout")).headers["Location"] == reverse("login")
    assert not is_signed_in(client)


@pytest.mark.parametrize("browser", ["that of the session", "another, or a frame without cookies"])
def test_a_request_of_the_provider_ends_the_session_that_it_names(
    browser: str, dora: Client, provider_with_sign_out: IdentityProvider, service_key_pair: KeyPair
) -> None:
    name = provider_with_sign_out.name_ids["dora"]
    elsewhere = Client()
    provider_with_sign_out.sign_in(elsewhere, "dora")
    unused = dora.session
    unused[USED] = 0  # So that the request would store the session again, to note its use.
    unused.save()
    request = sign_out_request(provider_with_sign_out.key, name)
    answered = (dora if browser == "that of the session" else Client()).get(request)
    assert not is_signed_in(dora)
    assert is_signed_in(elsewhere)
    address = answered.headers["Location"]
    assert address.startswith(f"{provider_with_sign_out.url}/sign-out?")
    response = message_of(address, "SAMLResponse", service_key_pair.certificate)
    assert response.find(".//{*}StatusCode").get("Value").endswith(":Success")


@pytest.mark.parametrize("kind", ["name", "index"])
def test_a_request_for_another_session_ends_none(
    kind: str, dora: Client, provider_with_sign_out: IdentityProvider
) -> None:
    name = "another" if kind == "name" else provider_with_sign_out.name_ids["dora"]
    request = sign_out_request(provider_with_sign_out.key, name, "_2" if kind == "index" else "_1")
    assert dora.get(request).status_code == 302
    assert is_signed_in(dora)


@pytest.mark.parametrize("kind", ["unsigned", "other key", "changed", "other issuer", "no message", "no xml"])
def test_a_request_that_is_not_the_providers_ends_nothing(
    kind: str, dora: Client, provider_with_sign_out: IdentityProvider, service_key_pair: KeyPair
) -> None:
    name = provider_with_sign_out.name_ids["dora"]
    key = service_key_pair.key if kind == "other key" else provider_with_sign_out.key
    request = sign_out_request(
        key, name, issuer="https://evil.example.org" if kind == "other issuer" else ENTITY
    )
    if kind == "unsigned":
        request = request.partition("&SigAlg=")[0]
    if kind == "changed":
        other = sign_out_request(provider_with_sign_out.key, "another")
        request = request.partition("&Signature=")[0] + "&Signature=" + other.partition("&Signature=")[2]
    if kind == "no message":
        request = HERE
    if kind == "no xml":
        request = f"{HERE}?SAMLRequest=eHh4"
    refused = dora.get(request)
    assert refused.status_code == 400
    assert "Signing out of the campus account failed." in page_of(refused).text("main")
    assert is_signed_in(dora)


def test_the_metadata_name_the_address_for_signing_out(
    provider_with_sign_out: IdentityProvider, client: Client
) -> None:
    root = etree.fromstring(client.get(reverse("saml_metadata", args=["campus"])).content)
    [service] = root.iter("{*}SingleLogoutService")
    assert service.get("Location") == HERE


def test_a_session_keeps_no_name_but_its_digest_in_its_column(
    dora: Client, provider_with_sign_out: IdentityProvider, alice_client: Client, alice: User
) -> None:
    names = dict(Session.objects.values_list("user__username", "saml_name"))
    assert names["alice"] == ""
    assert len(names["dora"]) == 64
    assert provider_with_sign_out.name_ids["dora"] not in names["dora"]
    assert get_page(dora, reverse("account")).text("h1") == "Your account"
