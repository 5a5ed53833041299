"""The messages of a provider of SAML when somebody signs out, in signed addresses."""

import base64
import zlib
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import pytest
import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from lxml import etree
from onelogin.saml2.utils import OneLogin_Saml2_Utils
from pytest_django.fixtures import Settings

from moss.settings import KeyPair
from tests.support.identity_provider import ENTITY, IdentityProvider, use

HERE = "http://testserver/accounts/saml/campus/sls/"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SPACES = 'xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"'
REQUEST = (
    '<p:LogoutRequest {spaces} ID="_{id}" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" '
    'Destination="{here}"><a:Issuer>{issuer}</a:Issuer><a:NameID>{name}</a:NameID>'
    "<p:SessionIndex>{index}</p:SessionIndex></p:LogoutRequest>"
)
RESPONSE = (
    '<p:LogoutResponse {spaces} ID="_{id}" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" '
    'Destination="{here}" InResponseTo="{asked}"><a:Issuer>{issuer}</a:Issuer><p:Status>'
    '<p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:{status}"/></p:Status></p:LogoutResponse>'
)


def sign_out_request(key: str, name: str, index: str = "_1", issuer: str = ENTITY) -> str:
    """Return the address to which a provider sends a browser to sign somebody out."""
    text = REQUEST.format(spaces=SPACES, id=uuid4().hex, here=HERE, issuer=issuer, name=name, index=index)
    return f"{HERE}?{_signed('SAMLRequest', text, key)}"


def sign_out_response(key: str, asked: str, status: str = "Success") -> str:
    """Return the address to which a provider sends a browser back that came to sign out."""
    text = RESPONSE.format(spaces=SPACES, id=uuid4().hex, here=HERE, issuer=ENTITY, asked=asked, status=status)
    return f"{HERE}?{_signed('SAMLResponse', text, key)}"


def _signed(parameter: str, text: str, key: str) -> str:
    packed = base64.b64encode(zlib.compress(text.encode())[2:-4]).decode()
    query = urlencode({parameter: packed, "SigAlg": RSA_SHA256})
    signature = OneLogin_Saml2_Utils.sign_binary(query.encode(), key, xmlsec.constants.TransformRsaSha256)
    return f"{query}&{urlencode({'Signature': base64.b64encode(signature).decode()})}"


def message_of(address: str, parameter: str, certificate: str) -> etree._Element:
    """Return the message in an address that this service made; fail where its signature is not right."""
    query = urlsplit(address).query
    parts = {part.partition("=")[0]: part for part in query.split("&")}
    signed = "&".join(parts[name] for name in (parameter, "RelayState", "SigAlg") if name in parts)
    public = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    assert isinstance(public, RSAPublicKey)
    value = base64.b64decode(parse_qs(query)["Signature"][0])
    public.verify(value, signed.encode(), PKCS1v15(), SHA256())
    return etree.fromstring(zlib.decompress(base64.b64decode(parse_qs(query)[parameter][0]), -15))


@pytest.fixture
def provider_with_sign_out(
    encrypting_provider: IdentityProvider, service_key_pair: KeyPair, settings: Settings
) -> IdentityProvider:
    """Return the provider with an address for signing out, and a service that signs its requests."""
    use(settings, encrypting_provider, service_key_pair, slo_url=f"{encrypting_provider.url}/sign-out")
    return encrypting_provider
