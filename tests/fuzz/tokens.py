"""Tokens of learning platforms as `tests.fuzz` makes them; it loads Django, and uses no database."""

from __future__ import annotations

import json
import os
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")
django.setup()

import jwt  # noqa: E402 - Django is started first, for all of these
from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: E402

from moss.integrations.lti import tokens  # noqa: E402
from moss.integrations.lti.models import Platform  # noqa: E402
from moss.integrations.lti.requests_out import LaunchRefused  # noqa: E402
from tests.fuzz.targets import CLIENT, PLATFORM  # noqa: E402

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PLATFORM_ROW = Platform(issuer=PLATFORM, client_id=CLIENT, deployments="1 2", name="fuzzed")


def read(data: bytes) -> None:
    """Read bytes as a token, or as the claims of one that the platform signed; it may only be refused."""
    text = data.decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")
    with patch.object(tokens, "platform_key", lambda *_: KEY.public_key()):
        try:
            launch = tokens.read_token(PLATFORM_ROW, _signed(text), "n")
        except LaunchRefused:
            return
    assert all(isinstance(role, str) for role in launch.roles)
    launch.model_dump_json().encode()


def _signed(text: str) -> str:
    try:
        claims = json.loads(text)
    except (ValueError, RecursionError):
        return text
    payload = claims if isinstance(claims, dict) else {"iss": claims}
    header = {"kid": "a"}
    return jwt.PyJWS().encode(json.dumps(payload).encode(), KEY, "RS256", header)
