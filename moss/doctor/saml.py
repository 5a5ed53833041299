"""Check of sign-in by SAML."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from django.conf import settings

from moss.doctor.findings import Finding, ok, problem, warning

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWER_SECONDS = 10
# A certificate that ends sooner has to be replaced.
SOON = timedelta(days=30)
ASK = "Ask the provider for the next certificate."
PEM = "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n"


def saml() -> Finding:
    """Check that the provider's metadata can be read, and how long both sides' certificates are valid."""
    if not settings.SAML_ENTITY_ID:
        return ok("saml", "not set (MOSS_SAML_ENTITY_ID)")
    providers: Any = settings.SOCIALACCOUNT_PROVIDERS
    app = providers["saml"]["APPS"][0]["settings"]
    try:
        ends = max(map(_end, _certificates(app["idp"])))
    except Exception as error:  # noqa: BLE001 - whatever the answer is, the finding says it
        message = f"{settings.SAML_ENTITY_ID}: no metadata with a certificate ({type(error).__name__})"
        return problem("saml", message, "Correct MOSS_SAML_METADATA_URL, or MOSS_SAML_CERTIFICATE.")
    provider = _validity(f"{settings.SAML_ENTITY_ID}, its certificate", ends, ASK)
    own = _own_key_pair(app["advanced"]) if "x509cert" in app["advanced"] else provider
    return own if provider.state == "ok" else provider


def _own_key_pair(advanced: dict[str, str]) -> Finding:
    """Check the certificate of this service, and that its key is the one of the certificate."""
    try:
        certificate = _certificate(advanced["x509cert"])
        key = serialization.load_pem_private_key(advanced["private_key"].encode(), None)
    except Exception as error:  # noqa: BLE001 - as above
        message = f"the key or the certificate of this service cannot be read ({type(error).__name__})"
        return problem("saml", message, "Correct MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE.")
    if key.public_key() != certificate.public_key():
        message = "the key of this service is not the one of its certificate"
        return problem("saml", message, "Correct MOSS_SAML_SERVICE_KEY or MOSS_SAML_SERVICE_CERTIFICATE.")
    advice = "Make a new one, and give the provider the metadata of this service again."
    whose = f"{settings.SAML_ENTITY_ID}; the certificate of this service"
    return _validity(whose, certificate.not_valid_after_utc, advice)


def _validity(whose: str, ends: datetime, advice: str) -> Finding:
    message = f"{whose} is valid until {ends:%Y-%m-%d}"
    if ends < datetime.now(UTC):
        return problem("saml", message, f"Nobody can sign in. {advice}")
    return warning("saml", message, advice) if ends < datetime.now(UTC) + SOON else ok("saml", message)


def _certificates(provider: dict[str, Any]) -> Iterable[str]:
    if "x509cert" in provider:
        return [provider["x509cert"]]
    from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser  # noqa: PLC0415 - optional

    read = OneLogin_Saml2_IdPMetadataParser.parse_remote(
        provider["metadata_url"], entity_id=provider["entity_id"], timeout=ANSWER_SECONDS
    )
    found = read["idp"]
    return [found["x509cert"]] if "x509cert" in found else found["x509certMulti"]["signing"]


def _end(certificate: str) -> datetime:
    return _certificate(certificate).not_valid_after_utc


def _certificate(text: str) -> x509.Certificate:
    """Read a certificate: PEM, or its Base64 alone, as metadata have it."""
    whole = text if "-----BEGIN" in text else PEM.format(text.strip())
    return x509.load_pem_x509_certificate(whole.encode())
