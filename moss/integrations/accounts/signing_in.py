"""Signing in and out."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.models import User
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse

from moss.integrations.accounts.sessions import SAML
from submissions.pages.requests import is_path_of_this_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.forms import AuthenticationForm
    from django.http import HttpRequest, HttpResponse


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
        response: HttpResponse = perform_login(
            self.request, form.get_user(), redirect_url=self.get_success_url()
        )
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
    from moss.integrations.accounts.saml_sign_out import sign_out_address  # noqa: PLC0415 - its packages are an extra

    return sign_out_address(request)
