"""Middleware for sign-in redirects of htmx requests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse
    from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that went through django-htmx's middleware."""

    htmx: HtmxDetails


class HtmxLoginRedirect:
    """Answer an htmx request that needs signing in with a redirect of the whole page.

    Otherwise htmx would follow the redirect and put the sign-in page in place of the fragment.
    """

    def __init__(self, get_response: Callable[[HtmxHttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HtmxHttpRequest) -> HttpResponse:
        response = self.get_response(request)
        redirects_to_login = urlsplit(response.headers.get("Location", "")).path == reverse("login")
        if not request.htmx or not redirects_to_login:
            return response
        page = request.htmx.current_url_abs_path or reverse("courses")
        return HttpResponseClientRedirect(redirect_to_login(page).url)
