"""The user ids of MOSS clients in Django's admin, where an administrator sets those of old scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin

from moss.integrations.moss_protocol.models import MossUserId

if TYPE_CHECKING:
    UserIdAdmin = admin.ModelAdmin[MossUserId]
else:
    UserIdAdmin = admin.ModelAdmin  # takes no parameter at run time


@admin.register(MossUserId)
class MossUserIds(UserIdAdmin):
    list_display = ("user", "created")
    search_fields = ("user__username",)
    autocomplete_fields = ("user",)
