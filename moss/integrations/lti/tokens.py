"""Keys and signed tokens of this service and of platforms, and what a sign-in hands back."""

from __future__ import annotations

import secrets
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple, cast

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from jwt.algorithms import RSAAlgorithm
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from moss.integrations.lti.models import LONGEST_ID, Platform, ToolKey, UsedNonce
from moss.integrations.lti.requests_out import LaunchRefused, PlatformFailed, get_json, is_id, post_form
from submissions.core.database import OtherKey, storable_json

# The algorithm that LTI asks every platform and tool for; no other one is taken.
ALGORITHM = "RS256"
KEY_BITS = 2048
# A key that its platform withdrew is not taken for longer than this.
KEYS_HOLD = timedelta(hours=12)
# An unknown key lets a platform be asked again, but not more often than this.
ASK_AGAIN = timedelta(seconds=20)
MOST_KEYS = 50

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# Seconds for which the signature of a request holds.
ASSERTION_HOLDS = 60

# The people of a course: Names and Roles.
MEMBERSHIPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"

SERVICES = "https://purl.imsglobal.org/spec/lti-"
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
VERSION = "1.3.0"
RESOURCE, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
MESSAGES = (RESOURCE, DEEP_LINKING)
# Seconds by which the clocks of a platform and of this service may differ.
LEEWAY = 60
LARGEST_TOKEN = 100_000
# What PyJWT raises: also for half of a surrogate pair, a deep nest, an endless time, and other types.
UNREADABLE = (jwt.PyJWTError, UnicodeError, RecursionError, OverflowError, TypeError)
REQUIRED = ("iss", "aud", "exp", "iat", "nonce", "sub")

PURPOSE = "moss.integrations.lti.state"
HOLDS = timedelta(minutes=10)
COOKIE = "lti"


def sign(claims: dict[str, Any]) -> str:
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

    Raises PlatformFailed when the platform has no such key, or does not answer.
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
    rsa_keys = [key for key in published[:MOST_KEYS] if isinstance(key, dict) and key.get("kty") == "RSA"]
    platform.keys = [_public(key) for key in rsa_keys]
    platform.save(update_fields=["keys"])


def _public(key: dict[str, Any]) -> dict[str, Any]:
    """Return the public parts: some platform may publish its private key, which is neither stored nor used."""
    return {name: key[name] for name in ("kty", "kid", "n", "e") if name in key}


def _find(platform: Platform, key_id: str) -> jwt.PyJWK | None:
    stored = platform.keys if isinstance(platform.keys, list) else []
    try:
        return next((jwt.PyJWK(_public(key), ALGORITHM) for key in stored if key.get("kid") == key_id), None)
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError) as error:
        raise PlatformFailed(f"{platform} publishes a key that cannot be read: {error!s:.200}") from error


def access_token(platform: Platform, scope: str) -> str:
    """Return an access token of a platform, for which this service signs who it is.

    Raises PlatformFailed when the platform does not answer, or gives no token for this scope.
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


class Claims(BaseModel):
    """Values that a platform signed, of their types; null, and [] of PHP for {}, are as if left out."""

    model_config = ConfigDict(strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def without_null(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if value is not None and value != []}
        return values


class Context(Claims):
    id: str = ""
    title: str = ""
    label: str = ""


class Memberships(Claims):
    """Where the platform lists the people of a course."""

    context_memberships_url: str = ""


class LinkQuestion(Claims):
    """What a platform wants a link for."""

    deep_link_return_url: str = ""
    accept_types: list[str] = []
    data: str | None = None


class Launch(Claims):
    """The claims of a platform about a launch that this service reads."""

    subject: str = Field(alias="sub", min_length=1, max_length=LONGEST_ID)
    nonce: str
    audience: str | list[str] = Field(alias="aud")
    authorized: str = Field("", alias="azp")
    name: str = ""
    given_name: str = ""
    family_name: str = ""
    email: str = ""
    # Some platforms write it as a text.
    email_verified: bool = Field(default=True, strict=False)
    version: str = Field("", validation_alias=f"{CLAIM}version")
    kind: str = Field("", validation_alias=f"{CLAIM}message_type")
    deployment: str = Field("", validation_alias=f"{CLAIM}deployment_id")
    roles: list[str] = Field([], validation_alias=f"{CLAIM}roles")
    context: Context = Field(Context(), validation_alias=f"{CLAIM}context")
    custom: dict[str, Any] = Field({}, validation_alias=f"{CLAIM}custom")
    memberships: Memberships = Field(Memberships(), validation_alias=f"{SERVICES}nrps/claim/namesroleservice")
    question: LinkQuestion = Field(LinkQuestion(), validation_alias=f"{SERVICES}dl/claim/deep_linking_settings")


def read_token(platform: Platform, token: str, nonce: str) -> Launch:
    """Return the launch that a token of this platform says, with this nonce.

    Raises LaunchRefused when the token is not signed by the platform, not for this service, expired, or no
    launch of LTI 1.3.
    """
    launch = _signed_launch(platform, token)
    if not constant_time_compare(launch.nonce, nonce):
        raise _refused(platform, "the nonce is another one")
    if launch.kind not in MESSAGES:
        raise _refused(platform, f"it is none of {', '.join(MESSAGES)}")
    return launch


def _signed_launch(platform: Platform, token: str) -> Launch:
    """Return what a platform signed for this service, in one of its deployments."""
    claims = _decoded(platform, token)
    try:
        launch = Launch.model_validate(claims)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise _refused(platform, f"{name.rpartition('/')[2]} has another type than LTI says") from error
    several = isinstance(launch.audience, list) and len(launch.audience) > 1
    if (launch.authorized or several) and launch.authorized != platform.client_id:
        raise _refused(platform, "it is not for this client id (azp)")
    if launch.version != VERSION:
        raise _refused(platform, f"it is not of LTI {VERSION}")
    if not is_id(launch.subject):
        raise _refused(platform, "it names nobody (sub)")
    _check_deployment(platform, launch.deployment)
    return launch


def _decoded(platform: Platform, token: str) -> dict[str, Any]:
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
            options={"require": list(REQUIRED)},
        )
        return cast("dict[str, Any]", storable_json(claims))
    except UNREADABLE as error:
        raise _refused(platform, str(error)) from error
    except PlatformFailed as error:
        raise LaunchRefused(
            _("The keys of {platform} could not be read.").format(platform=platform),
            _("Try again in a minute. If that does not help, tell the administrator of this service."),
            str(error),
        ) from error


def _check_deployment(platform: Platform, deployment: str) -> None:
    if deployment not in platform.deployments.split():
        raise LaunchRefused(
            _("This deployment of {platform} is not registered here.").format(platform=platform),
            _("Ask the administrator of this service to add the deployment id {deployment}.").format(
                deployment=deployment[:LONGEST_ID] or "?"
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


class State(NamedTuple):
    platform: int
    nonce: str


def new_state(platform: Platform, browser: str) -> tuple[str, str]:
    """Return a signed state for a browser, and the nonce that the token has to have."""
    nonce = secrets.token_urlsafe(32)
    state = signing.dumps([platform.pk, nonce, _digest(browser)], salt=PURPOSE)
    return state, nonce


def browser_key(request: HttpRequest) -> str:
    """Return the key in the cookie of this browser, or a new one. Launches in several tabs share it."""
    stored = request.COOKIES.get(cookie_name(), "")
    return stored if len(stored) == len(secrets.token_urlsafe(32)) else secrets.token_urlsafe(32)


def set_cookie(response: HttpResponse, browser: str) -> None:
    """Set the key of a browser.

    The platform sends the person back by a form of another site: browsers add a cookie to that only with
    SameSite=None, which they take only over HTTPS. Without HTTPS both have to be on one machine.
    """
    response.set_cookie(
        cookie_name(),
        browser,
        max_age=int(HOLDS.total_seconds()),
        secure=settings.HTTPS,
        httponly=True,
        samesite="None" if settings.HTTPS else "Lax",
    )


def cookie_name() -> str:
    return f"{settings.COOKIE_PREFIX}{COOKIE}"


def read_state(text: str, request: HttpRequest) -> State:
    """Return a state that this service signed for this browser.

    Raises LaunchRefused when it was signed by nobody, too long ago, or for another browser.
    """
    try:
        platform, nonce, digest = signing.loads(text, salt=PURPOSE, max_age=HOLDS)
    except signing.SignatureExpired as error:
        raise LaunchRefused(_("This launch took longer than ten minutes."), open_again(), "state expired") from error
    except (signing.BadSignature, ValueError) as error:
        reason = _("This launch did not begin at this service.")
        raise LaunchRefused(reason, open_again(), "state not signed") from error
    if not constant_time_compare(digest, _digest(request.COOKIES.get(cookie_name(), ""))):
        reason = _("This browser did not begin the launch, or did not keep the cookie of it.")
        remedy = _(
            "Open the link again in your learning platform, in a window of its own, and let this service keep cookies."
        )
        raise LaunchRefused(reason, remedy, "state of another browser")
    return State(platform, nonce)


def open_again() -> str:
    return _("Open the link again in your learning platform.")


def use_nonce(nonce: str) -> None:
    """Note that a launch was taken; raise LaunchRefused when it was before."""
    UsedNonce.objects.filter(created__lt=timezone.now() - 2 * HOLDS).delete()
    try:
        with transaction.atomic():
            UsedNonce.objects.create(nonce=nonce)
    except IntegrityError as error:
        raise LaunchRefused(_("This launch was used already."), open_again(), "replayed") from error


def _digest(browser: str) -> str:
    return salted_hmac(PURPOSE, browser, algorithm="sha256").hexdigest()
