"""The proof that whoever uses an account is whose it is: its password, or that the campus has just asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urlencode

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.urls import reverse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User
    from django.http import HttpRequest

# The key of a session with the account and the time of its last sign-in by a provider or a learning platform.
PROVED = "proved"
# Seconds for which such a sign-in is a proof.
RECENT = 10 * 60
# With these a provider of OpenID Connect asks for the password again, and says when it did (`auth_time`).
ASK_AGAIN = urlencode({"prompt": "login", "max_age": "0"})


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


def note_sign_in(request: HttpRequest, user: User, moment: float) -> None:
    """Note in the session that somebody else than this service asked who this is, at a time in seconds."""
    request.session[PROVED] = [user.pk, moment]


def proof_of(request: HttpRequest) -> Proof:
    user = cast("User", request.user)
    return Proof(
        _is_recent(request),
        user.has_usable_password(),
        _providers(user, request.get_full_path()),
        user.platform_accounts.exists(),  # of `moss.integrations.lti`
    )


def time_of_sign_in(claims: Mapping[str, object]) -> float:
    """Return when the provider asked for the password, as its token says; now if it says nothing."""
    stated = claims.get("auth_time")
    return min(float(stated), time.time()) if isinstance(stated, int | float) else time.time()


def _is_recent(request: HttpRequest) -> bool:
    account, moment = request.session.get(PROVED, (None, 0.0))
    return bool(account == request.user.pk and time.time() - moment < RECENT)


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
        providers.append(
            Provider(settings.SAML_NAME, f"{reverse('saml_login', args=[settings.CAMPUS])}?{query}")
        )
    return providers
