"""Sign-in with a campus account (OpenID Connect or SAML, by django-allauth), and what its groups say."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.signals import user_logged_in
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.dispatch import receiver
from django.shortcuts import render

from moss.integrations.accounts.proofs import PROVED, note_sign_in, time_of_sign_in
from submissions.courses.change import join_by_groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from allauth.socialaccount.models import SocialLogin
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Refuse every sign-up, and leave messages to the pages."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def add_message(self, *_: object, **__: object) -> None:
        return

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Note in the session what the provider or the learning platform said."""
        if moment := getattr(request, "signed_in_at", None):
            note_sign_in(request, user, moment)
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
        if _is_saml(sociallogin) and not _has_lasting_id(sociallogin):
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


def _has_lasting_id(sociallogin: SocialLogin) -> bool:
    """Return whether the id is an attribute that stays; without one, it is that of a session."""
    named = sociallogin.account.extra_data
    return any(sociallogin.account.uid in named.get(attribute, []) for attribute in settings.SAML_UIDS)


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


class SilentProviders:
    """Say on a page that the provider does not answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: Any, error: Exception) -> HttpResponse | None:
        match = request.resolver_match
        if not match or not isinstance(error, FAILURES.get(match.url_name, ())):
            return None
        logger.warning("the sign-in provider does not answer", exc_info=error)
        return render(request, "accounts/no_provider.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
