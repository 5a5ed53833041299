"""Campus accounts, what proves who somebody is, and the rules of passwords."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

import jwt
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.signals import user_logged_in
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from submissions.core.database import opened, seal
from submissions.courses.change import join_by_groups
from submissions.pages.requests import Middleware

# The key of a session with the account and the time of its last sign-in by a provider or a learning platform.
PROVED = "proved"
# Seconds for which such a sign-in is a proof.
RECENT = 10 * 60
# With these a provider of OpenID Connect asks for the password again, and says when it did (`auth_time`).
ASK_AGAIN = urlencode({"prompt": "login", "max_age": "0"})

# Asymmetric ones: a public key is no secret of HMAC.
SIGNATURES = [*(f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)), "EdDSA"]
# Seconds by which the clocks of a provider and of this service may differ.
LEEWAY = 60
# What no token, or no keys, make the libraries raise.
TOKEN_FAULTS = (
    jwt.PyJWTError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip

# What somebody tries first who guesses passwords of this service.
WORDS = (
    *("moss", "plagiarism", "plagiat", "similarity", "submission", "assignment", "course", "report"),
    *("student", "instructor", "teacher", "university", "school", "admin", "login", "password", "welcome"),
)
FEWEST_OTHER_LETTERS = 4
PATTERN = re.compile("|".join(sorted(WORDS, key=len, reverse=True)), re.IGNORECASE)

logger = logging.getLogger(__name__)

# What is raised on an address that asks the provider: no connection, an answer of an error, or no JSON; and
# where the addresses of the provider are looked up, JSON that does not have them.
NO_ANSWER: tuple[type[Exception], ...] = (OSError,)
FAILURES = {
    "openid_connect_login": (*NO_ANSWER, LookupError, AttributeError),
    "openid_connect_callback": NO_ANSWER,
    "saml_login": NO_ANSWER,
    "saml_acs": NO_ANSWER,
    "saml_finish_acs": NO_ANSWER,
    "saml_metadata": NO_ANSWER,
    "saml_sls": NO_ANSWER,
}


class Provider(NamedTuple):
    """A provider that can ask who this is, and the address that has it ask."""

    name: str
    address: str


class Proof(NamedTuple):
    """The proofs that are left before an account is changed.

    is_there: nothing, because the campus or the learning platform vouched for the person minutes ago.
    by_password: whether the account has a password to ask for.
    providers: where the person can sign in again instead.
    by_launch: whether opening this service from the learning platform is a proof.
    """

    is_there: bool
    by_password: bool
    providers: list[Provider]
    by_launch: bool

    @property
    def is_missing(self) -> bool:
        """True if the form can do nothing before the person comes back from elsewhere."""
        return not (self.is_there or self.by_password)


def proof_of(request: HttpRequest) -> Proof:
    user = cast("User", request.user)
    account, moment = request.session.get(PROVED, (None, 0.0))
    return Proof(
        bool(account == request.user.pk and time.time() - moment < RECENT),
        user.has_usable_password(),
        _providers(user, request.get_full_path()),
        user.platform_accounts.exists(),  # of `moss.integrations.lti`
    )


def time_of_sign_in(claims: Mapping[str, object]) -> float:
    """Return when the provider asked for the password, as its token says; now if it says nothing."""
    stated = claims.get("auth_time")
    return min(float(stated), time.time()) if isinstance(stated, int | float) else time.time()


def _providers(user: User, come_back_to: str) -> list[Provider]:
    linked = {*SocialAccount.objects.filter(user=user).values_list("provider", flat=True)}
    back = {"next": come_back_to}
    providers = []
    if settings.OIDC_URL and settings.CAMPUS in linked:
        query = urlencode({**back, "auth_params": ASK_AGAIN})
        address = reverse("openid_connect_login", args=[settings.CAMPUS])
        providers.append(Provider(settings.OIDC_NAME, f"{address}?{query}"))
    if settings.SAML_ENTITY_ID and settings.SAML_ENTITY_ID in linked:
        query = urlencode({**back, "again": "1"})
        providers.append(Provider(settings.SAML_NAME, f"{reverse('saml_login', args=[settings.CAMPUS])}?{query}"))
    return providers


class CampusTokens(OpenIDConnectOAuth2Adapter):  # type: ignore[misc] # django-allauth publishes no types
    """Take only tokens that a published key of the provider signed, for the person of its user info."""

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> SocialLogin:
        try:
            login = super().complete_login(request, app, token, **kwargs)
            answers = login.account.extra_data
            subjects = {answers["id_token"]["sub"], answers.get("userinfo", answers["id_token"])["sub"]}
        except TOKEN_FAULTS as error:
            raise OAuth2Error(f"no token of the provider: {error!r:.200}") from error
        if len(subjects) > 1:
            raise OAuth2Error("the user info is of another person than the token")
        return login

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        """Return the claims of a token; django-allauth checks no signature where it fetched the token."""
        head = jwt.get_unverified_header(id_token)
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        keys = jwt.PyJWKSet.from_dict(answer.json()).keys
        signing = [key for key in keys if key.public_key_use != "enc" and key.key_type != "oct"]
        name = head.get("kid")
        named = [key for key in signing if name == key.key_id or None in (name, key.key_id)]
        for key in named[:-1]:
            with suppress(*TOKEN_FAULTS):
                return self._claims(app, id_token, key)
        return self._claims(app, id_token, named[-1])

    def _claims(self, app: Any, id_token: str, key: jwt.PyJWK) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            id_token,
            key.key,
            SIGNATURES,
            audience=app.client_id,
            issuer=self.openid_config["issuer"],
            leeway=LEEWAY,
            options={"require": ["iss", "aud", "sub", "exp"]},
        )
        return claims


def take_answer(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Sign in whom the provider of OpenID Connect names."""
    try:
        view = OAuth2CallbackView.adapter_view(CampusTokens(request, provider_id))
        return cast("HttpResponse", view(request))
    except SocialApp.DoesNotExist as error:
        raise Http404 from error


class ServiceWordsValidator:
    """Refuse passwords that are words of this service with digits, signs and few letters around them."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:  # noqa: ARG002 - Django's signature
        rest = PATTERN.sub("", password)
        if rest != password and sum(character.isalpha() for character in rest) < FEWEST_OTHER_LETTERS:
            raise ValidationError(_("This password is made of words of this service. Add others."))

    def get_help_text(self) -> str:
        return _("Your password can't be made of words of this service, such as moss or course.")


class SealingAdapter(DefaultMFAAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Seal the secrets of authenticator apps and of recovery codes."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Refuse every sign-up, and leave messages to the pages."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def add_message(self, *_: object, **__: object) -> None:
        return

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Note in the session what the provider or the learning platform said."""
        if moment := getattr(request, "signed_in_at", None):
            request.session[PROVED] = [user.pk, moment]
        request.session.update(getattr(request, "session_names", {}))
        response: HttpResponse | None = super().pre_login(request, user, **details)
        return response

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, and keep the proof where somebody else was signed in, whose session ends."""
        proof = request.session.get(PROVED)
        super().login(request, user)
        if proof:
            request.session[PROVED] = proof


class CampusAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Admit a user who has one of the groups that may sign in."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:  # noqa: ARG002 - as above
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse an account without a lasting id or a group that may sign in, at every sign-in."""
        account, lasting = sociallogin.account, settings.SAML_UIDS
        # The id has to be one of the lasting attributes, not that of a session.
        if _is_saml(sociallogin) and not any(account.uid in account.extra_data.get(name, []) for name in lasting):
            logger.warning("a SAML response has none of the attributes %s", ", ".join(settings.SAML_UIDS))
            raise ImmediateHttpResponse(render(request, "accounts/no_id.html", status=403))
        if settings.CAMPUS_GROUPS and not groups(sociallogin) & {*settings.CAMPUS_GROUPS}:
            logger.warning("campus account %r has no group that may sign in", sociallogin.account.uid)
            raise ImmediateHttpResponse(render(request, "accounts/no_group.html", status=403))
        if not hasattr(request, "signed_in_at"):  # SAML has set it
            claims = sociallogin.account.extra_data.get("id_token") or {}
            request.signed_in_at = time_of_sign_in(claims)  # type: ignore[attr-defined] # read by `pre_login`

    def on_authentication_error(
        self,
        request: HttpRequest,  # noqa: ARG002 - allauth's signature
        provider: Any,
        error: object = None,
        exception: Exception | None = None,
        **_: object,
    ) -> None:
        # The provider may answer with a whole page.
        logger.warning("signing in with %s failed: %s %.200s", provider, error, exception)


def groups(sociallogin: SocialLogin) -> set[str]:
    """Return the groups that the provider names for an account.

    Of OpenID Connect, they are in the ID token (Entra ID), in the user info, or in both (Keycloak).
    """
    data = sociallogin.account.extra_data
    if _is_saml(sociallogin):
        return {str(name) for name in data.get(settings.SAML_GROUPS_ATTRIBUTE, [])}
    claims = [data.get("userinfo") or {}, data.get("id_token") or {}, data]
    return set().union(*(_texts(one.get(settings.OIDC_GROUPS_CLAIM)) for one in claims))


def _texts(named: object) -> set[str]:
    if isinstance(named, list):
        return {str(name) for name in named}
    return {named} if isinstance(named, str) else set()


def _is_saml(sociallogin: SocialLogin) -> bool:
    return bool(settings.SAML_ENTITY_ID) and sociallogin.account.provider == settings.SAML_ENTITY_ID


@receiver(user_logged_in)
def apply_groups(sender: object, user: User, **details: Any) -> None:  # noqa: ARG001 - Django's signature
    """Make a user who signed in with a campus account what the groups of the account say."""
    sociallogin = details.get("sociallogin")
    if not sociallogin:
        return
    named = groups(sociallogin)
    join_by_groups(user, named)
    if settings.CAMPUS_ADMINISTRATORS and not user.is_superuser:
        user.is_staff = not named.isdisjoint(settings.CAMPUS_ADMINISTRATORS)
        user.save(update_fields=["is_staff"])


class SilentProviders(Middleware):
    """Say on a page that the provider does not answer."""

    def process_exception(self, request: Any, error: Exception) -> HttpResponse | None:
        match = request.resolver_match
        if not match or not isinstance(error, FAILURES.get(match.url_name, ())):
            return None
        logger.warning("the sign-in provider does not answer", exc_info=error)
        return render(request, "accounts/no_provider.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
