"""URL patterns: the app's pages, the Django admin, sign-in and sign-out, the health check and the metrics."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from moss.integrations.accounts.signing_in import SignIn, SignOut
from moss.operations.monitoring import healthz, metrics
from moss.sample_class import add_sample


def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the icon: browsers request this URL on pages that link no icon, such as Django's admin."""
    return HttpResponseRedirect(static("submissions/icon.svg"))


handler400 = "submissions.pages.requests.bad_request"
handler500 = "submissions.pages.requests.server_error"
urlpatterns = [
    path("", include("submissions.urls")),
    path("", include("moss.integrations.accounts.views")),
    path("", include("moss.integrations.api")),
    path("", include("moss.integrations.moss_protocol.views")),
    path("", include("moss.integrations.lti.views")),
    path("", include("moss.integrations.webhooks.views")),
    path("", include("moss.integrations.repositories.views")),
    path("sample/", add_sample, name="add_sample"),
    path("accounts/login/", SignIn.as_view(), name="login"),
    path("accounts/", include("moss.integrations.accounts.signing_in")),
    path("accounts/logout/", SignOut.as_view(), name="logout"),
    # The sign-in of the pages, which asks for the second factor.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
]
