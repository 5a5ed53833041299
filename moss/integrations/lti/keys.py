"""The key pair of this service, and the public keys of platforms."""

from __future__ import annotations

import secrets
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.utils import timezone
from jwt.algorithms import RSAAlgorithm

from moss.integrations.lti.models import Platform, ToolKey
from moss.integrations.lti.refusals import PlatformFailed
from moss.integrations.lti.requests_out import get_json, post_form
from submissions.core.database import OtherKey

if TYPE_CHECKING:
    from moss.integrations.lti.models import Platform

# The algorithm that LTI asks every platform and tool for; no other one is taken.
ALGORITHM = "RS256"
KEY_BITS = 2048
# A key that its platform withdrew is not taken for longer than this.
KEYS_HOLD = timedelta(hours=12)
# An unknown key lets a platform be asked again, but not more often than this.
ASK_AGAIN = timedelta(seconds=20)
MOST_KEYS = 50


def sign(claims: dict[str, Any]) -> str:
    """Return claims as a token signed by this service."""
    row = _tool_key()
    return jwt.encode(claims, _loaded(row.private_key), ALGORITHM, headers={"kid": _key_id(row)})


def public_keys() -> dict[str, list[dict[str, Any]]]:
    """Return the public key of this service as a JSON Web Key Set."""
    row = _tool_key()
    published = RSAAlgorithm.to_jwk(_loaded(row.private_key).public_key(), as_dict=True)
    return {"keys": [{**published, "kid": _key_id(row), "alg": ALGORITHM, "use": "sig"}]}


# Loading checks the key, which takes a hundred times as long as a signature.
@lru_cache(maxsize=1)
def _loaded(pem: str) -> rsa.RSAPrivateKey:
    private = load_pem_private_key(pem.encode(), None)
    assert isinstance(private, rsa.RSAPrivateKey)
    return private


def _key_id(row: ToolKey) -> str:
    return f"moss-{row.created:%Y%m%d%H%M%S}"


def _tool_key() -> ToolKey:
    """Return the only row, which is written when it is needed first."""
    if row := ToolKey.objects.filter(pk=1).first():
        if not row.private_key:
            raise OtherKey("the key pair for learning platforms was sealed with another SECRET_KEY")
        return row
    private = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    return ToolKey.objects.get_or_create(pk=1, defaults={"private_key": pem_of(private)})[0]


def pem_of(private: rsa.RSAPrivateKey) -> str:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def platform_key(platform: Platform, key_id: str) -> jwt.PyJWK:
    """Return a public key of a platform; its keys are read again where this one is new or they are old.

    Raises
    ------
    PlatformFailed
        When the platform has no such key, or does not answer.
    """
    now = timezone.now()
    age = now - platform.keys_asked if platform.keys_asked else KEYS_HOLD
    if age >= KEYS_HOLD:
        platform.keys = []
    key = _find(platform, key_id)
    if key is None and age >= ASK_AGAIN:
        _read_keys(platform)
        key = _find(platform, key_id)
    if key is None:
        raise PlatformFailed(f"{platform} publishes no key {key_id!r:.80}")
    return key


def _read_keys(platform: Platform) -> None:
    # Noted before it answers: one that does not is not asked by every launch.
    platform.keys_asked = timezone.now()
    platform.save(update_fields=["keys", "keys_asked"])
    content = get_json(platform, platform.jwks_url).content
    published = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(published, list):
        raise PlatformFailed(f"{platform.jwks_url} lists no keys")
    platform.keys = [
        key for key in published[:MOST_KEYS] if isinstance(key, dict) and key.get("kty") == "RSA"
    ]
    platform.save(update_fields=["keys"])


def _find(platform: Platform, key_id: str) -> jwt.PyJWK | None:
    stored = platform.keys if isinstance(platform.keys, list) else []
    try:
        return next((jwt.PyJWK(key, ALGORITHM) for key in stored if key.get("kid") == key_id), None)
    except (jwt.PyJWTError, ValueError) as error:
        raise PlatformFailed(f"{platform} publishes a key that cannot be read: {error!s:.200}") from error


ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# Seconds for which the signature of a request holds.
ASSERTION_HOLDS = 60


def access_token(platform: Platform, scope: str) -> str:
    """Return an access token of a platform, for which this service signs who it is.

    Raises
    ------
    PlatformFailed
        When the platform does not answer, or gives no token for this scope.
    """
    now = int(timezone.now().timestamp())
    assertion = sign(
        {
            "iss": platform.client_id,
            "sub": platform.client_id,
            "aud": platform.token_audience or platform.token_url,
            "iat": now,
            "exp": now + ASSERTION_HOLDS,
            "jti": secrets.token_urlsafe(16),
        }
    )
    fields = {
        "grant_type": "client_credentials",
        "client_assertion_type": ASSERTION,
        "client_assertion": assertion,
        "scope": scope,
    }
    content = post_form(platform, platform.token_url, fields).content
    token = content.get("access_token") if isinstance(content, dict) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise PlatformFailed(f"{platform.token_url} gave no access token")
    return token


# The people of a course: Names and Roles.
MEMBERSHIPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
# To be told where its notices go, to give the files of submissions, and to take reports on them.
NOTICES = "https://purl.imsglobal.org/spec/lti/scope/noticehandlers"
ASSETS = "https://purl.imsglobal.org/spec/lti/scope/asset.readonly"
REPORTS = "https://purl.imsglobal.org/spec/lti/scope/report"
