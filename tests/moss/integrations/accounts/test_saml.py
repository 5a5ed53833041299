"""Signing in by SAML, against a provider on loopback that signs its responses."""

import base64
import re
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from lxml import etree
from pytest_django.fixtures import Settings

from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import USED
from moss.settings import KeyPair
from submissions.models import Assignment, CampusGroup, Membership
from tests.moss.integrations.accounts.test_campus import signed_in
from tests.support.html import get_page, page_of
from tests.support.identity_provider import ENTITY, UID, USER, IdentityProvider
from tests.support.saml_sign_out import HERE, message_of, sign_out_request, sign_out_response

pytestmark = pytest.mark.django_db


def test_the_sign_in_page_leads_to_the_campus_and_back(identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.enrol("dora", "dora@example.edu")
    page = get_page(client, reverse("login"), next="/account/")
    assert page.text(".campus") == "Sign in with Example University"
    assert "/accounts/saml/campus/login/?next=%2Faccount%2F" in page.links()
    assert identity_provider.sign_in(client, "dora", next="/account/").headers["Location"] == "/account/"
    user = signed_in(client)
    assert user
    assert (user.username, user.email, user.has_usable_password()) == ("dora", "dora@example.edu", False)
    identity_provider.sign_in(Client(), "dora")
    assert User.objects.count() == 1


def test_without_a_provider_nothing_leads_to_one(client: Client) -> None:
    for name in ("login", "acs", "acs/finish", "metadata"):
        address = f"/accounts/saml/campus/{name}/"
        response = client.post(address) if name == "acs" else client.get(address)
        assert response.status_code == 404, name
    assert not Session.objects.exists()


def test_an_address_leads_to_an_existing_account_only_where_the_campus_vouches_for_it(
    identity_provider: IdentityProvider, client: Client, alice: User, settings: Settings
) -> None:
    identity_provider.enrol("mallory", alice.email)
    identity_provider.sign_in(client, "mallory")
    assert signed_in(client) != alice
    User.objects.exclude(pk=alice.pk).delete()
    settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]["verified_email"] = True
    identity_provider.enrol("a.liddell", alice.email)
    identity_provider.sign_in(client, "a.liddell")
    assert signed_in(client) == alice


def test_groups_let_in_make_administrators_and_give_roles(
    identity_provider: IdentityProvider, client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.CAMPUS_GROUPS, settings.CAMPUS_ADMINISTRATORS = ["staff"], ["admins"]
    CampusGroup.objects.create(course=assignment.course, group="tutors", role="assistant")
    identity_provider.enrol("sam", groups=("students",))
    refused = identity_provider.sign_in(client, "sam")
    assert refused.status_code == 403
    assert "is in no group that may use this service" in page_of(refused).text("main")
    identity_provider.enrol("dora", groups=("staff", "admins", "tutors"))
    identity_provider.sign_in(client, "dora")
    user = signed_in(client)
    assert user
    assert user.is_staff
    assert Membership.objects.get(user=user).role == "assistant"
    identity_provider.enrol("dora", groups=("staff",))
    identity_provider.sign_in(Client(), "dora")
    assert not User.objects.get(pk=user.pk).is_staff
    assert not Membership.objects.filter(user=user).exists()


def test_an_account_without_a_lasting_id_is_refused(identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.people["dora"] = {USER: ["dora"]}
    refused = identity_provider.sign_in(client, "dora")
    assert refused.status_code == 403
    assert "named no id that stays the same" in page_of(refused).text("main")
    assert not User.objects.exists()


def test_a_response_counts_once_and_in_its_own_browser(identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.enrol("dora")
    asked = identity_provider.ask(client)
    response = identity_provider.response(asked, identity_provider.assertion(asked, "dora"))
    elsewhere = Client()
    identity_provider.send(elsewhere, response)
    assert not signed_in(elsewhere)
    identity_provider.send(client, response)
    assert signed_in(client)
    client.logout()
    identity_provider.send(client, response)
    assert not signed_in(client)


@pytest.mark.parametrize(
    "kind",
    ["unsigned", "expired", "audience", "destination", "two", "changed", "other signature", "not asked for"],
)
def test_a_response_that_is_not_ours_is_refused(kind: str, identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.enrol("dora")
    identity_provider.enrol("admin")
    asked = identity_provider.ask(client)
    other = {
        "audience": replace(asked, entity="https://another.example.edu/"),
        "destination": replace(asked, address="http://another.example.edu/acs/"),
        "not asked for": replace(asked, id="_another"),
    }.get(kind, asked)
    assertion = identity_provider.assertion(other, "dora", -10 if kind == "expired" else 5, signed=kind != "unsigned")
    parts = [assertion]
    if kind == "two":
        # The signature is that of the second one; the first one would be read.
        parts.insert(0, identity_provider.assertion(asked, "admin", signed=False))
    response = identity_provider.response(other, *parts)
    if kind == "changed":
        text = base64.b64decode(response).replace(b"dora@example.edu", b"admin@example.edu")
        response = base64.b64encode(text).decode()
    if kind == "other signature":
        text = base64.b64decode(response)
        value = etree.fromstring(text).find(".//{http://www.w3.org/2000/09/xmldsig#}SignatureValue").text
        response = base64.b64encode(text.replace(value[:20].encode(), b"A" * 20)).decode()
    answer = identity_provider.send(client, response)
    assert answer.status_code in {200, 401, 403}
    assert not signed_in(client)
    assert not User.objects.exists()


SIGNATURE = re.compile(r"<ds:Signature .*</ds:Signature>", re.DOTALL)


END = "</saml:Assertion>"


def wrapped(kind: str, signed: str, forged: str) -> list[str]:
    """Return the parts of a response in which a signed assertion stands, and another one is to be read."""
    signature = SIGNATURE.findall(signed)[0]
    bare = signed.replace(signature, "")
    inside = signature.replace("</ds:Signature>", f"<ds:Object>{bare}</ds:Object></ds:Signature>")
    own_id, other_id = (re.findall(r'ID="([^"]*)"', text)[0] for text in (signed, forged))
    return {
        "before": [forged, signed],
        "after": [signed, forged],
        "in its advice": [forged.replace(END, f"<saml:Advice>{signed}</saml:Advice>{END}")],
        "around": [signed.replace(END, f"<saml:Advice>{forged}</saml:Advice>{END}")],
        "in an object": [forged.replace("</saml:Issuer>", f"</saml:Issuer>{inside}", 1)],
        "with its signature": [forged.replace("</saml:Issuer>", f"</saml:Issuer>{signature}", 1), bare],
        "in an extension": [f"<samlp:Extensions>{signed}</samlp:Extensions>", forged],
        "with its id": [forged.replace(other_id, own_id), signed],
        "with its id and signature": [
            forged.replace(other_id, own_id).replace("</saml:Issuer>", f"</saml:Issuer>{signature}", 1)
        ],
    }[kind]


WRAPPINGS = ("before", "after", "in its advice", "around", "in an object", "with its signature")


@pytest.mark.parametrize("kind", [*WRAPPINGS, "in an extension", "with its id", "with its id and signature"])
def test_a_signed_assertion_vouches_for_no_other_one(
    kind: str, identity_provider: IdentityProvider, client: Client
) -> None:
    for name in ("dora", "admin"):
        identity_provider.enrol(name)
    asked = identity_provider.ask(client)
    forged = identity_provider.assertion(asked, "admin", signed=False)
    parts = wrapped(kind, identity_provider.assertion(asked, "dora"), forged)
    answer = identity_provider.send(client, identity_provider.response(asked, *parts))
    assert answer.status_code in {200, 401, 403}
    assert not signed_in(client)
    assert not User.objects.exists()


def test_an_assertion_of_another_provider_is_refused(
    identity_provider: IdentityProvider, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is signed by the same key: the provider of two organisations mixed them up."""
    identity_provider.enrol("dora")
    asked = identity_provider.ask(client)
    monkeypatch.setattr("tests.support.identity_provider.ENTITY", "https://other.example.edu/shibboleth")
    identity_provider.send(client, identity_provider.response(asked, identity_provider.assertion(asked, "dora")))
    assert not signed_in(client)


def test_a_comment_in_a_name_cuts_nothing_off(identity_provider: IdentityProvider, client: Client) -> None:
    """What is signed has no comments: whoever is `admin@example.edu.evil` could add one and be `admin`."""
    identity_provider.people["eve"] = {UID: ["admin@example.edu.evil.example"], USER: ["eve"]}
    asked = identity_provider.ask(client)
    signed = identity_provider.assertion(asked, "eve")
    assert "admin@example.edu.evil" in signed
    changed = signed.replace("admin@example.edu.evil", "admin@example.edu<!-- -->.evil")
    identity_provider.send(client, identity_provider.response(asked, changed))
    uids = set(SocialAccount.objects.values_list("uid", flat=True))
    assert uids <= {"admin@example.edu.evil.example"}


@pytest.mark.parametrize(
    "text",
    [
        "no Base64 at all",
        base64.b64encode(b"<not xml").decode(),
        base64.b64encode(b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>').decode(),
        base64.b64encode(b'<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>').decode(),
    ],
)
def test_what_is_no_response_is_refused(text: str, identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.ask(client)
    answer = identity_provider.send(client, text)
    assert "failed" in page_of(answer).text("main")
    assert not signed_in(client)


def test_only_a_short_post_is_kept_until_the_browser_comes_back(
    identity_provider: IdentityProvider, client: Client
) -> None:
    address = reverse("saml_acs", args=["campus"])
    assert client.get(address).status_code == 405
    assert client.post(address, {"SAMLResponse": "x" * 300_000}).status_code == 413
    assert client.post("/accounts/saml/another/acs/", {"SAMLResponse": "x"}).status_code == 404
    assert not Session.objects.exists()


def test_nothing_leads_elsewhere_after_signing_in(identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.enrol("dora")
    answer = identity_provider.sign_in(client, "dora", next="https://evil.example.org/")
    assert answer.headers["Location"] == reverse("courses")


def test_the_metadata_name_the_address_of_responses_and_no_sign_out(
    identity_provider: IdentityProvider, client: Client
) -> None:
    answer = client.get(reverse("saml_metadata", args=["campus"]))
    root = etree.fromstring(answer.content)
    named = {
        element.tag.rpartition("}")[2]: element.get("Location") for element in root.iter() if element.get("Location")
    }
    assert named == {"AssertionConsumerService": "http://testserver/accounts/saml/campus/acs/"}
    assert root.get("entityID") == "http://testserver/accounts/saml/campus/metadata/"
    assert 'WantAssertionsSigned="true"' in answer.content.decode()


def test_an_encrypted_assertion_signs_in_and_the_metadata_say_with_what_to_encrypt(
    encrypting_provider: IdentityProvider, service_key_pair: KeyPair, client: Client
) -> None:
    metadata = etree.fromstring(client.get(reverse("saml_metadata", args=["campus"])).content)
    keys = metadata.findall(".//{urn:oasis:names:tc:SAML:2.0:metadata}KeyDescriptor")
    assert {key.get("use") for key in keys} == {"signing", "encryption"}
    line = "".join(service_key_pair.certificate.splitlines()[1:-1])
    assert ["".join(key.itertext()).replace("\n", "").strip() for key in keys] == [line] * 2
    provider = encrypting_provider
    provider.enrol("dora", "dora@example.edu")
    asked = provider.ask(client)
    sealed = provider.encrypted(provider.assertion(asked, "dora"), service_key_pair.certificate)
    assert "dora" not in sealed
    provider.send(client, provider.response(asked, sealed))
    user = signed_in(client)
    assert user
    assert user.email == "dora@example.edu"
    provider.sign_in(Client(), "dora")
    assert User.objects.count() == 1


@pytest.mark.parametrize("kind", ["unsigned", "expired", "other key", "damaged"])
def test_an_encrypted_assertion_has_to_be_ours_too(
    kind: str, encrypting_provider: IdentityProvider, service_key_pair: KeyPair, client: Client
) -> None:
    provider = encrypting_provider
    provider.enrol("dora")
    asked = provider.ask(client)
    assertion = provider.assertion(asked, "dora", -10 if kind == "expired" else 5, signed=kind != "unsigned")
    certificate = provider.certificate if kind == "other key" else service_key_pair.certificate
    sealed = provider.encrypted(assertion, certificate)
    if kind == "damaged":
        value = sealed.rpartition("CipherValue>")[0].rpartition("CipherValue>")[2]
        sealed = sealed.replace(value[:40], "A" * 40)
    answer = provider.send(client, provider.response(asked, sealed))
    assert "failed" in page_of(answer).text("main")
    assert not User.objects.exists()


def test_requests_are_signed_where_the_service_has_a_key(
    encrypting_provider: IdentityProvider, service_key_pair: KeyPair, client: Client
) -> None:
    location = client.get("/accounts/saml/campus/login/").headers["Location"]
    sent = dict(part.split("=", 1) for part in urlsplit(location).query.split("&"))
    signed = "&".join(f"{name}={sent[name]}" for name in ("SAMLRequest", "RelayState", "SigAlg"))
    signature = sent["Signature"]
    assert unquote(sent["SigAlg"]) == "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    key = x509.load_pem_x509_certificate(service_key_pair.certificate.encode()).public_key()
    assert isinstance(key, RSAPublicKey)
    key.verify(base64.b64decode(unquote(signature)), signed.encode(), PKCS1v15(), SHA256())
    with pytest.raises(InvalidSignature):
        key.verify(base64.b64decode(unquote(signature)), b"x" + signed.encode(), PKCS1v15(), SHA256())


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
    request = sign_out_request(key, name, issuer="https://evil.example.org" if kind == "other issuer" else ENTITY)
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
