"""Addresses of django-allauth that are in use: campus accounts, the second factor, forgotten passwords.

`account_login` and `account_logout` are the names by which django-allauth leads to the sign-in page.
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.socialaccount import views as socialaccount
from django.conf import settings
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from moss.integrations.accounts.campus import take_answer
from moss.integrations.accounts.signing_in import SignOut, with_mail

urlpatterns = [
    path("sign-in/", RedirectView.as_view(pattern_name="login", query_string=True), name="account_login"),
    path("sign-out/", SignOut.as_view(), name="account_logout"),
    path("closed/", account.account_inactive, name="account_inactive"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("password/", with_mail(account.password_reset), name="account_reset_password"),
    path("password/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/changed/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"
    ),
    path("oidc/<str:provider_id>/login/callback/", take_answer, name="openid_connect_callback"),
    path("", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("campus/cancelled/", socialaccount.login_cancelled, name="socialaccount_login_cancelled"),
    path("campus/failed/", socialaccount.login_error, name="socialaccount_login_error"),
    path("campus/name/", socialaccount.signup, name="socialaccount_signup"),
    path("second-factor/", include("allauth.mfa.urls")),
]
if settings.SAML_INSTALLED:
    urlpatterns.append(path("saml/<slug:organization_slug>/", include("moss.integrations.accounts.saml")))
