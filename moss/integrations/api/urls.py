"""Addresses of the API and of the page about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.urls import path

from moss.integrations.api.idempotency import idempotent
from moss.integrations.api.pages import api_docs
from moss.integrations.api.service import api
from submissions.pages.request_bodies import takes_files

if TYPE_CHECKING:
    from django.urls import URLPattern

# The endpoints to which files are sent.
TAKE_FILES = ("api_uploads", "api_resumable", "api_boilerplate")

# Not `app_name`: Django would take that for the name of this module's own addresses.
endpoints = api.urls
for pattern in cast("list[URLPattern]", endpoints[0]):
    if pattern.name in TAKE_FILES:
        takes_files(pattern.callback)
    pattern.callback = idempotent(pattern.callback)

urlpatterns = [
    path("api/v1/", endpoints),
    path("api/docs", api_docs, name="api_docs"),
]
