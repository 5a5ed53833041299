"""Addresses: the app's own, Django admin, signing in and out, and the health check."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path

from moss.health import healthz


def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Answer browsers that ask without being told, as on Django's admin pages."""
    return HttpResponseRedirect(static("submissions/icon.svg"))


urlpatterns = [
    path("", include("submissions.pages.urls")),
    path("accounts/login/", auth_views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
    path("healthz", healthz, name="healthz"),
]
