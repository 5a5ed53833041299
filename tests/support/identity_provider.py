"""An identity provider that speaks SAML: it answers the requests of this service with signed responses."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from django.test import Client
from lxml import etree
from onelogin.saml2.utils import OneLogin_Saml2_Utils
from pytest_django.fixtures import Settings

from moss.settings import KeyPair, saml_app
from tests.support.loopback import Handler, serving

ENTITY = "https://idp.example.edu/shibboleth"
UID, MAIL = "urn:oasis:names:tc:SAML:attribute:subject-id", "urn:oid:0.9.2342.19200300.100.1.3"
GROUPS, USER = "urn:oid:1.3.6.1.4.1.5923.1.5.1.1", "urn:oid:0.9.2342.19200300.100.1.1"
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
TEMPLATES = Path(__file__).parent / "saml"
ASSERTION = (TEMPLATES / "assertion.xml").read_text()
RESPONSE = (TEMPLATES / "response.xml").read_text()


def request_of(address: str) -> bytes:
    """Return the request that an address of the provider carries."""
    return zlib.decompress(base64.b64decode(parse_qs(urlsplit(address).query)["SAMLRequest"][0]), -15)


@dataclass(frozen=True)
class Asked:
    """A request of the service: its id, who asks, and where the response goes."""

    id: str
    entity: str
    address: str

    @classmethod
    def of(cls, address: str) -> Asked:
        root = etree.fromstring(request_of(address))
        issuer = root.find(f"{{{SAML}}}Issuer")
        return cls(root.get("ID"), issuer.text, root.get("AssertionConsumerServiceURL"))


@dataclass
class IdentityProvider:
    """The key of the provider, its address, and what it says about whom."""

    url: str
    key: str
    certificate: str
    people: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    # The last NameID of each person.
    name_ids: dict[str, str] = field(default_factory=dict)

    def enrol(self, name: str, mail: str = "", groups: tuple[str, ...] = ()) -> None:
        self.people[name] = {UID: [f"{name}@example.edu"], USER: [name], GROUPS: [*groups]}
        if mail:
            self.people[name][MAIL] = [mail]

    def assertion(
        self,
        asked: Asked,
        name: str,
        minutes: int = 5,
        *,
        signed: bool = True,
        asked_at: datetime | None = None,
    ) -> str:
        """Return what is stated of a person, who gave the password at `asked_at`, now by default."""
        now = datetime.now(UTC)
        self.name_ids[name] = uuid4().hex
        attributes = "".join(
            f'<saml:Attribute Name="{key}">'
            + "".join(f"<saml:AttributeValue>{escape(value)}</saml:AttributeValue>" for value in values)
            + "</saml:Attribute>"
            for key, values in self.people.get(name, {USER: [name]}).items()
        )
        text = ASSERTION.format(
            id=uuid4().hex,
            now=_time(now),
            asked_at=_time(asked_at or now),
            since=_time(now - timedelta(hours=1)),
            until=_time(now + timedelta(minutes=minutes)),
            entity=ENTITY,
            name_id=self.name_ids[name],
            recipient=asked.address,
            audience=asked.entity,
            request=asked.id,
            attributes=attributes,
        )
        if not signed:
            return text
        signed_text: bytes = OneLogin_Saml2_Utils.add_sign(text, self.key, self.certificate)
        return signed_text.decode().partition("?>\n")[2] or signed_text.decode()

    def encrypted(self, assertion: str, certificate: str) -> str:
        """Return an assertion that only the owner of a certificate can read."""
        root = etree.fromstring(f'<saml:EncryptedAssertion xmlns:saml="{SAML}">{assertion}</saml:EncryptedAssertion>')
        keys = xmlsec.KeysManager()
        keys.add_key(xmlsec.Key.from_memory(certificate, xmlsec.constants.KeyDataFormatCertPem))
        data = xmlsec.template.encrypted_data_create(
            root, xmlsec.constants.TransformAes256Gcm, type=xmlsec.constants.TypeEncElement, ns="xenc"
        )
        xmlsec.template.encrypted_data_ensure_cipher_value(data)
        about = xmlsec.template.encrypted_data_ensure_key_info(data, ns="dsig")
        key = xmlsec.template.add_encrypted_key(about, xmlsec.constants.TransformRsaOaep)
        xmlsec.template.encrypted_data_ensure_cipher_value(key)
        context = xmlsec.EncryptionContext(keys)
        context.key = xmlsec.Key.generate(xmlsec.constants.KeyDataAes, 256, xmlsec.constants.KeyDataTypeSession)
        context.encrypt_xml(data, root[0])
        return str(etree.tostring(root, encoding="unicode"))

    def response(self, asked: Asked, *assertions: str) -> str:
        """Return a response as it is posted."""
        text = RESPONSE.format(
            id=uuid4().hex,
            now=_time(datetime.now(UTC)),
            destination=asked.address,
            request=asked.id,
            entity=ENTITY,
            assertions="".join(assertions),
        )
        return base64.b64encode(text.encode()).decode()

    def ask(self, client: Client, **query: str) -> Asked:
        """Begin to sign in; return what the service asks."""
        asked = client.get("/accounts/saml/campus/login/", query)
        assert asked.headers["Location"].startswith(self.url)
        return Asked.of(asked.headers["Location"])

    def sign_in(self, client: Client, name: str, **query: str) -> Any:
        asked = self.ask(client, **query)
        return self.send(client, self.response(asked, self.assertion(asked, name)))

    def send(self, client: Client, response: str) -> Any:
        """Post a response as a browser does, and follow to the page that the session belongs to."""
        taken = client.post("/accounts/saml/campus/acs/", {"SAMLResponse": response, "RelayState": ""})
        return client.get(taken.headers["Location"]) if taken.status_code == 302 else taken


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def key_pair(host: str) -> KeyPair:
    """Return a new private key and a certificate of it, which is valid for a day."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    certificate = certificate.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return KeyPair(private.decode(), certificate.sign(key, hashes.SHA256()).public_bytes(pem).decode())


class _Page(Handler):
    """The page on which somebody signs in there: a button for each person."""

    server: _Server

    def get(self) -> None:
        provider = self.server.provider
        if "SAMLRequest" not in self.path:
            self.send_error(404)
            return
        forms = "Signed out."
        if "/sign-out?" not in self.path:
            asked = Asked.of(self.path)
            forms = "".join(_form(provider, asked, name) for name in provider.people)
        content = f"<!doctype html><title>Campus</title>{forms}".encode()
        self.answer(content, Content_Type="text/html; charset=utf-8")


def _form(provider: IdentityProvider, asked: Asked, name: str) -> str:
    response = provider.response(asked, provider.assertion(asked, name))
    return (
        f'<form method="post" action="{escape(asked.address)}"><button>{name}</button>'
        f'<input type="hidden" name="SAMLResponse" value="{response}"></form>'
    )


class _Server(ThreadingHTTPServer):
    provider: IdentityProvider


@pytest.fixture(scope="session")
def running_identity_provider() -> Iterator[IdentityProvider]:
    with serving(_Server(("127.0.0.1", 0), _Page)) as server:
        url = f"http://127.0.0.1:{server.server_port}/sso"
        server.provider = IdentityProvider(url, *key_pair("idp.example.edu"))
        yield server.provider


@pytest.fixture(scope="session")
def service_key_pair() -> KeyPair:
    """Return a key pair of this service."""
    return key_pair("moss.example.edu")


def use(settings: Settings, provider: IdentityProvider, key_pair: KeyPair | None, **known: str) -> None:
    """Have the service use the provider, with a key pair or none; `known` is more about the provider."""
    about = {"entity_id": ENTITY, "sso_url": provider.url, "x509cert": provider.certificate, **known}
    app = saml_app("campus", "Example University", about, key_pair, verified_mail=False)
    settings.SOCIALACCOUNT_PROVIDERS = {"saml": {"APPS": [app]}}


@pytest.fixture
def encrypting_provider(
    identity_provider: IdentityProvider, service_key_pair: KeyPair, settings: Settings
) -> IdentityProvider:
    """Return the provider with a service that signs its requests and reads encrypted assertions."""
    use(settings, identity_provider, service_key_pair)
    return identity_provider


@pytest.fixture
def identity_provider(running_identity_provider: IdentityProvider, settings: Settings) -> IdentityProvider:
    provider = running_identity_provider
    provider.people.clear()
    settings.SAML_ENTITY_ID, settings.SAML_NAME = ENTITY, "Example University"
    use(settings, provider, None)
    return provider
