"""Addresses of the pages about one's own account."""

from __future__ import annotations

from django.urls import path

from moss.accounts.token_views import api_tokens
from moss.accounts.views import ChangePasswordView, account

urlpatterns = [
    path("account/", account, name="account"),
    path("account/tokens/", api_tokens, name="api_tokens"),
    path("account/password/", ChangePasswordView.as_view(), name="change_password"),
]
