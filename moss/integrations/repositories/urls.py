"""Addresses of the pages of fetched repositories."""

from __future__ import annotations

from django.urls import path

from moss.integrations.repositories import pages

ALL = "assignments/<int:pk>/repositories/"
ONE = f"{ALL}<int:fetch_id>/"

urlpatterns = [
    path(ALL, pages.repositories, name="repositories"),
    path(f"{ALL}not-again/", pages.not_again, name="repositories_not_again"),
    path(ONE, pages.one_fetch, name="repository_fetch"),
    path(f"{ONE}cancel/", pages.cancel, name="cancel_repository_fetch"),
    path(f"{ONE}retry/", pages.retry, name="retry_repository_fetch"),
]
