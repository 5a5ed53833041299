"""Register the app of the learning platforms."""

from __future__ import annotations

from django.apps import AppConfig


class LtiConfig(AppConfig):
    name = "moss.integrations.lti"
    label = "lti"
    verbose_name = "Learning platforms"
