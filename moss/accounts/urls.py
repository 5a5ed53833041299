"""Addresses of the pages about one's own account."""

from __future__ import annotations

from django.urls import path

from moss.accounts.views import ChangePasswordView, account

urlpatterns = [
    path("account/", account, name="account"),
    path("account/password/", ChangePasswordView.as_view(), name="change_password"),
]
