"""Addresses of the pages about one's own account."""

from __future__ import annotations

from django.urls import path

from moss.integrations.accounts.views import ChangePasswordView, account, api_tokens, choose_mail

urlpatterns = [
    path("account/", account, name="account"),
    path("account/mail/", choose_mail, name="choose_mail"),
    path("account/tokens/", api_tokens, name="api_tokens"),
    path("account/password/", ChangePasswordView.as_view(), name="change_password"),
]
