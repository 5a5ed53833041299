"""Sign-in and sign-out, what is told after too many wrong passwords, and the addresses of django-allauth."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from allauth.account import views as account
from allauth.account.utils import perform_login
from allauth.socialaccount import views as socialaccount
from axes.handlers.database import AxesDatabaseHandler
from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.models import User
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path, re_path, reverse
from django.views.generic import RedirectView

from moss.integrations.accounts.campus import take_answer
from moss.integrations.accounts.sessions import SAML
from submissions.pages.requests import is_path_of_this_site

if TYPE_CHECKING:
    from django.contrib.auth.forms import AuthenticationForm

    Credentials = dict[str, Any] | None


# Several people may share an address, so it may have this many times the failures of one account.
ACCOUNTS_AT_AN_ADDRESS = 5
LONGEST_USER_NAME = 150


class Failures(AxesDatabaseHandler):  # type: ignore[misc] # django-axes publishes no types
    """Count the failures of an account from an address, and of the address, in the database."""

    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        of_account, of_address = (
            attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0
            for attempts in self.get_user_attempts(request, credentials)
        )
        return int(max(of_account, of_address // ACCOUNTS_AT_AN_ADDRESS))


def user_name(_request: HttpRequest, credentials: Credentials) -> str:
    """Return the user name that was tried, without control characters and no longer than a real one."""
    name = str((credentials or {}).get("username") or "")
    return "".join(character for character in name if character.isprintable())[:LONGEST_USER_NAME]


def client(name: str, address: str, *_others: object) -> str:
    """Return who failed to sign in, for the log."""
    return f"{name!r} from {address}"


def refusal(request: HttpRequest, _original: HttpResponse, _credentials: Credentials) -> HttpResponse:
    """Return the page that says when to try again."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    response = render(request, "429.html", {"minutes": seconds // 60}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def with_mail(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer 404 where this installation sends no mail."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.MAIL:
            raise Http404("No mail is sent.")
        return view(request, *args, **kwargs)

    return wrapper


class SignIn(auth_views.LoginView):
    """The sign-in page. `next` leads to a path of this site, and not to the sign-in page again."""

    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        invitations = reverse("invitation", args=["-"]).removesuffix("-/")
        return super().get_context_data(
            campus=settings.OIDC_URL and settings.OIDC_NAME,
            saml=settings.SAML_ENTITY_ID and settings.SAML_NAME,
            mail=settings.MAIL,
            no_accounts=not User.objects.exists(),
            is_invited=self.get_redirect_url().startswith(invitations),
            **kwargs,
        )

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, by way of the second factor where the account has one."""
        response: HttpResponse = perform_login(self.request, form.get_user(), redirect_url=self.get_success_url())
        return response

    def get_redirect_url(self) -> str:
        address = super().get_redirect_url()
        return address if is_path_of_this_site(address) and address != self.request.path else ""


class SignOut(auth_views.LogoutView):
    """Sign out, of the campus account too where it can be, and let the browser forget what it kept."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out here; then a page leads to the provider, since forms may not lead to another host."""
        address = _campus_sign_out(request)
        response = super().post(request, *args, **kwargs)
        if not address:
            return response
        context = {"address": address, "campus": settings.SAML_NAME}
        return render(request, "accounts/signed_out.html", context)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache", "storage"'
        return response


def _campus_sign_out(request: HttpRequest) -> str:
    """Return the address that signs out of the campus account that the session came from; or ""."""
    if not settings.SAML_ENTITY_ID or SAML not in request.session:
        return ""
    from moss.integrations.accounts.saml import sign_out_address  # noqa: PLC0415 - its packages are an extra

    return sign_out_address(request)


# For the page of a link to choose a password; templates call functions.
ABOUT_LINKS = {"days": settings.LINK_DAYS, "mail": lambda: settings.MAIL}

# The addresses of django-allauth that are in use: campus accounts, the second factor, forgotten passwords.
# `account_login` and `account_logout` are the names by which it leads to the sign-in page.
urlpatterns = [
    path("sign-in/", RedirectView.as_view(pattern_name="login", query_string=True), name="account_login"),
    path("sign-out/", SignOut.as_view(), name="account_logout"),
    path("closed/", account.account_inactive, name="account_inactive"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("password/", with_mail(account.password_reset), name="account_reset_password"),
    path("password/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.PasswordResetFromKeyView.as_view(extra_context=ABOUT_LINKS),
        name="account_reset_password_from_key",
    ),
    path("password/changed/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("oidc/<str:provider_id>/login/callback/", take_answer, name="openid_connect_callback"),
    path("", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("campus/cancelled/", socialaccount.login_cancelled, name="socialaccount_login_cancelled"),
    path("campus/failed/", socialaccount.login_error, name="socialaccount_login_error"),
    path("campus/name/", socialaccount.signup, name="socialaccount_signup"),
    path("second-factor/", include("allauth.mfa.urls")),
]
if settings.SAML_INSTALLED:
    urlpatterns.append(path("saml/<slug:organization_slug>/", include("moss.integrations.accounts.saml")))
