"""Settings of campus accounts by SAML, from the environment."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured

from moss.variables import value

# The id of the identity provider, and its metadata; or, without these, its address and its certificate.
SAML_ENTITY_ID = value("MOSS_SAML_ENTITY_ID")
SAML_METADATA_URL = value("MOSS_SAML_METADATA_URL")
SAML_SSO_URL = value("MOSS_SAML_SSO_URL")
SAML_CERTIFICATE = value("MOSS_SAML_CERTIFICATE")
SAML_SLO_URL = value("MOSS_SAML_SLO_URL")
SAML_NAME = value("MOSS_SAML_NAME") or "your campus account"
# Attributes with an id that an account keeps: subject-id, pairwise-id, eduPersonPrincipalName, Entra ID's.
SAML_UIDS = [
    "urn:oasis:names:tc:SAML:attribute:subject-id",
    "urn:oasis:names:tc:SAML:attribute:pairwise-id",
    "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",
    "http://schemas.microsoft.com/identity/claims/objectidentifier",
]
if _UID := value("MOSS_SAML_UID"):
    SAML_UIDS = [_UID]
# The attribute that lists the groups of an account; isMemberOf of eduMember without it.
IS_MEMBER_OF = "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"
SAML_GROUPS_ATTRIBUTE = value("MOSS_SAML_GROUPS_ATTRIBUTE") or IS_MEMBER_OF
# Whether the campus vouches for the mail addresses that it sends.
SAML_VERIFIED_MAIL = value("MOSS_SAML_VERIFIED_MAIL")
# The key and certificate of this service: with them it signs its requests and reads encrypted assertions.
SAML_SERVICE_KEY = value("MOSS_SAML_SERVICE_KEY")
SAML_SERVICE_CERTIFICATE = value("MOSS_SAML_SERVICE_CERTIFICATE")
SAML_INSTALLED = find_spec("onelogin") is not None

if SAML_ENTITY_ID and not (SAML_METADATA_URL or (SAML_SSO_URL and SAML_CERTIFICATE)):
    raise ImproperlyConfigured(
        "MOSS_SAML_ENTITY_ID needs MOSS_SAML_METADATA_URL, or MOSS_SAML_SSO_URL and MOSS_SAML_CERTIFICATE."
    )
if bool(SAML_SERVICE_KEY) != bool(SAML_SERVICE_CERTIFICATE):
    raise ImproperlyConfigured("MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE need each other.")
if SAML_SLO_URL and not SAML_SERVICE_KEY:
    raise ImproperlyConfigured(
        "MOSS_SAML_SLO_URL needs MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE, to sign with."
    )
if SAML_ENTITY_ID and not SAML_INSTALLED:
    raise ImproperlyConfigured('MOSS_SAML_ENTITY_ID needs more packages: pip install "moss-server[saml]".')


class KeyPair(NamedTuple):
    """The private key of this service in PEM, and its certificate in PEM or as its Base64 alone."""

    key: str
    certificate: str


def saml_app(
    slug: str, name: str, provider: dict[str, str], own: KeyPair | None = None, *, verified_mail: bool
) -> dict[str, Any]:
    """Return the settings of one provider, as django-allauth reads them; `slug` is in its addresses."""
    return {
        "client_id": slug,
        "provider_id": provider["entity_id"],
        "name": name,
        "settings": {
            "idp": provider,
            "verified_email": verified_mail,
            "attribute_mapping": {
                "uid": SAML_UIDS,
                "email": [
                    "urn:oid:0.9.2342.19200300.100.1.3",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
                ],
                "username": ["urn:oid:0.9.2342.19200300.100.1.1", "urn:oid:1.3.6.1.4.1.5923.1.1.1.6"],
                "first_name": [
                    "urn:oid:2.5.4.42",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
                ],
                "last_name": [
                    "urn:oid:2.5.4.4",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
                ],
            },
            "advanced": {
                "strict": True,
                "want_assertion_signed": True,
                "reject_idp_initiated_sso": True,
                # Names of hosts within a campus need no dot.
                "allow_single_label_domains": True,
                **(_signing(own) if own else {}),
            },
        },
    }


def _signing(own: KeyPair) -> dict[str, Any]:
    signed = {f"{name}_signed": True for name in ("authn_request", "logout_request", "logout_response")}
    return {"private_key": own.key, "x509cert": own.certificate, **signed}


def saml_key_pair() -> KeyPair | None:
    return KeyPair(SAML_SERVICE_KEY, SAML_SERVICE_CERTIFICATE) if SAML_SERVICE_KEY else None


def saml_provider() -> dict[str, str]:
    """Return what is known of the identity provider."""
    if SAML_METADATA_URL:
        return {"entity_id": SAML_ENTITY_ID, "metadata_url": SAML_METADATA_URL}
    addresses = {"sso_url": SAML_SSO_URL, "slo_url": SAML_SLO_URL}
    return {"entity_id": SAML_ENTITY_ID, "x509cert": SAML_CERTIFICATE, **addresses}
