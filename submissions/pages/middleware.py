"""What stands between every request and its view."""

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


class PerhapsFromHtmx(HttpRequest):
    htmx: HtmxDetails


class KeptToOneself:
    """No cache between server and browser may keep an answer: a table is called like a file for everybody."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        answer.headers.setdefault("Cache-Control", "private")
        return answer


class WholePageSignIn:
    """A fragment asked for after signing out opens the sign-in page, which must not stand in its place."""

    def __init__(self, get_response: Callable[[PerhapsFromHtmx], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: PerhapsFromHtmx) -> HttpResponse:
        answer = self.get_response(request)
        asks_to_sign_in = urlsplit(answer.headers.get("Location", "")).path == reverse("login")
        if not request.htmx or not asks_to_sign_in:
            return answer
        page = request.htmx.current_url_abs_path or reverse("courses")
        return HttpResponseClientRedirect(redirect_to_login(page).url)
