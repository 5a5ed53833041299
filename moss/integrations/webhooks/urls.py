"""Addresses of the pages of webhooks, all below that of their course."""

from __future__ import annotations

from django.urls import path

from moss.integrations.webhooks import pages

ONE = "courses/<int:pk>/webhooks/<int:webhook_id>/"

urlpatterns = [
    path("courses/<int:pk>/webhooks/", pages.webhooks, name="webhooks"),
    path(ONE, pages.webhook, name="webhook"),
    path(f"{ONE}test/", pages.test, name="test_webhook"),
    path(f"{ONE}remove/", pages.remove, name="remove_webhook"),
    path(f"{ONE}deliveries/<int:delivery_id>/again/", pages.repeat, name="repeat_delivery"),
]
