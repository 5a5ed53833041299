"""Register the app of the MOSS clients."""

from __future__ import annotations

from django.apps import AppConfig


class MossProtocolConfig(AppConfig):
    name = "moss.integrations.moss_protocol"
    label = "moss_protocol"
    verbose_name = "MOSS clients"
