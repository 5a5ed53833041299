"""Check of sign-in by SAML."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography import x509
from django.conf import settings

from moss.doctor.findings import Finding, ok, problem, warning

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWER_SECONDS = 10
# A certificate that ends sooner has to be replaced.
SOON = timedelta(days=30)
PEM = "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n"


def saml() -> Finding:
    """Check that the metadata of the identity provider can be read, and that a certificate of it is valid."""
    if not settings.SAML_ENTITY_ID:
        return ok("saml", "not set (MOSS_SAML_ENTITY_ID)")
    providers: Any = settings.SOCIALACCOUNT_PROVIDERS
    provider = providers["saml"]["APPS"][0]["settings"]["idp"]
    try:
        ends = max(map(_end, _certificates(provider)))
    except Exception as error:  # noqa: BLE001 - whatever the answer is, the finding says it
        message = f"{settings.SAML_ENTITY_ID}: no metadata with a certificate ({type(error).__name__})"
        return problem("saml", message, "Correct MOSS_SAML_METADATA_URL, or MOSS_SAML_CERTIFICATE.")
    message = f"{settings.SAML_ENTITY_ID}, its certificate is valid until {ends:%Y-%m-%d}"
    if ends < datetime.now(UTC):
        return problem("saml", message, "Nobody can sign in: ask the provider for the new certificate.")
    if ends < datetime.now(UTC) + SOON:
        return warning("saml", message, "Ask the provider for the next certificate.")
    return ok("saml", message)


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
    """Return when a certificate ends: PEM, or its Base64 alone, as metadata have it."""
    text = certificate if "-----BEGIN" in certificate else PEM.format(certificate.strip())
    return x509.load_pem_x509_certificate(text.encode()).not_valid_after_utc
