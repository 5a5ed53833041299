"""Access tokens of platforms: OAuth 2.0 client credentials, with a signed assertion."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.utils import timezone

from moss.integrations.lti.keys import sign
from moss.integrations.lti.refusals import PlatformFailed
from moss.integrations.lti.requests_out import post_form

if TYPE_CHECKING:
    from moss.integrations.lti.models import Platform

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
