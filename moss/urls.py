"""URL patterns: the app's pages, the Django admin, sign-in and sign-out, and the health check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path

from moss.health import healthz
from submissions.pages.views.access import is_path_of_this_site

if TYPE_CHECKING:
    from django.http import HttpResponse


class SignIn(auth_views.LoginView):
    """The sign-in page. `next` leads to a path of this site, and not to the sign-in page again."""

    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:
        address = super().get_redirect_url()
        return address if is_path_of_this_site(address) and address != self.request.path else ""


class SignOut(auth_views.LogoutView):
    """Sign out, and let the browser forget what it kept of the pages."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache", "storage"'
        return response


def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the icon: browsers request this URL on pages that link no icon, such as Django's admin."""
    return HttpResponseRedirect(static("submissions/icon.svg"))


handler500 = "submissions.pages.unavailable.server_error"
urlpatterns = [
    path("", include("submissions.pages.urls")),
    path("", include("moss.accounts.urls")),
    path("", include("moss.listening.urls")),
    path("accounts/login/", SignIn.as_view(), name="login"),
    path("accounts/logout/", SignOut.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
    path("healthz", healthz, name="healthz"),
]
