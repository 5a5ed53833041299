"""Read the signed token of a launch, and refuse what is not as LTI 1.3 says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jwt
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from moss.integrations.lti.keys import ALGORITHM, platform_key
from moss.integrations.lti.models import LONGEST_ID
from moss.integrations.lti.refusals import LaunchRefused, PlatformFailed
from moss.integrations.lti.texts import is_id
from submissions.core.database import storable_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moss.integrations.lti.models import Platform

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
VERSION = "1.3.0"
RESOURCE, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
# Of the Asset Processor: somebody opens its settings, or a report of it.
SETTINGS, REVIEW = "LtiAssetProcessorSettingsRequest", "LtiReportReviewRequest"
MESSAGES = (RESOURCE, DEEP_LINKING, SETTINGS, REVIEW)
# Seconds by which the clocks of a platform and of this service may differ.
LEEWAY = 60
LARGEST_TOKEN = 100_000
# What PyJWT raises: also for half of a surrogate pair, for a deep nest, and for an endless time.
UNREADABLE = (jwt.PyJWTError, UnicodeError, RecursionError, OverflowError)
REQUIRED = ("iss", "aud", "exp", "iat", "nonce")


class Launch:
    """The claims of a platform about a launch, checked."""

    def __init__(self, claims: dict[str, Any]) -> None:
        self.claims = claims
        self.subject: str = claims["sub"]

    def text(self, name: str) -> str:
        """Return a claim of OpenID Connect that is a text; empty where it is none."""
        value = self.claims.get(name)
        return value if isinstance(value, str) else ""

    def lti(self, name: str) -> Any:
        return self.claims.get(CLAIM + name)

    def fields(self, name: str) -> dict[str, Any]:
        """Return a claim of LTI that is an object; empty where it is none."""
        return as_object(self.lti(name))

    def service(self, name: str) -> dict[str, Any]:
        """Return a claim of one of LTI's services, such as `dl` or `nrps`."""
        return as_object(self.claims.get(f"https://purl.imsglobal.org/spec/lti-{name}"))

    @property
    def roles(self) -> list[str]:
        roles = self.lti("roles")
        return [role for role in roles if isinstance(role, str)] if isinstance(roles, list) else []


def as_object(value: Any) -> dict[str, Any]:
    """Return a value that is a JSON object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def read_token(platform: Platform, token: str, nonce: str) -> Launch:
    """Return the launch that a token of this platform says, with this nonce.

    Raises
    ------
    LaunchRefused
        When the token is not signed by the platform, not for this service, expired, or no launch of LTI 1.3.
    """
    claims = signed_claims(platform, token, (*REQUIRED, "sub"))
    if not isinstance(claims["nonce"], str) or not constant_time_compare(claims["nonce"], nonce):
        raise _refused(platform, "the nonce is another one")
    _check_launch(platform, claims)
    return Launch(claims)


def signed_claims(platform: Platform, token: str, required: Sequence[str] = REQUIRED) -> dict[str, Any]:
    """Return what a platform signed for this service, in one of its deployments; raises as `read_token`."""
    claims = _decoded(platform, token, required)
    audience = claims["aud"]
    if claims.get("azp", platform.client_id) != platform.client_id or (
        isinstance(audience, list) and len(audience) > 1 and "azp" not in claims
    ):
        raise _refused(platform, "it is not for this client id (azp)")
    if claims.get(CLAIM + "version") != VERSION:
        raise _refused(platform, f"it is not of LTI {VERSION}")
    _check_deployment(platform, claims)
    return claims


def _decoded(platform: Platform, token: str, required: Sequence[str]) -> dict[str, Any]:
    if len(token) > LARGEST_TOKEN:
        raise _refused(platform, f"it has more than {LARGEST_TOKEN:,} characters")
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") != ALGORITHM or not isinstance(header.get("kid"), str):
            raise _refused(platform, f"it is not signed by {ALGORITHM} with a named key")
        claims = jwt.decode(
            token,
            platform_key(platform, header["kid"]),
            [ALGORITHM],
            audience=platform.client_id,
            issuer=platform.issuer,
            leeway=LEEWAY,
            options={"require": list(required)},
        )
        return as_object(storable_json(claims))
    except UNREADABLE as error:
        raise _refused(platform, str(error)) from error
    except PlatformFailed as error:
        raise LaunchRefused(
            _("The keys of {platform} could not be read.").format(platform=platform),
            _("Try again in a minute. If that does not help, tell the administrator of this service."),
            str(error),
        ) from error


def _check_launch(platform: Platform, claims: dict[str, Any]) -> None:
    if not is_id(claims["sub"]):
        raise _refused(platform, "it names nobody (sub)")
    if claims.get(CLAIM + "message_type") not in MESSAGES:
        raise _refused(platform, f"it is none of {', '.join(MESSAGES)}")


def _check_deployment(platform: Platform, claims: dict[str, Any]) -> None:
    if claims.get(CLAIM + "deployment_id") not in platform.deployments.split():
        raise LaunchRefused(
            _("This deployment of {platform} is not registered here.").format(platform=platform),
            _("Ask the administrator of this service to add the deployment id {deployment}.").format(
                deployment=str(claims.get(CLAIM + "deployment_id"))[:LONGEST_ID]
            ),
            "unknown deployment",
        )


def _refused(platform: Platform, detail: str) -> LaunchRefused:
    return LaunchRefused(
        _("The launch from {platform} was refused: {reason}").format(platform=platform, reason=detail),
        _(
            "Open the link again in your learning platform. If that does not help, "
            "tell the administrator of this service."
        ),
        detail,
    )
