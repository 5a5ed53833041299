"""Django admin of accounts and of user ids of MOSS clients."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User

from moss.integrations.accounts.models import Session
from moss.integrations.moss_protocol.models import MossUserId
from submissions.core.accounts import usage_of
from submissions.intake.limits import format_size

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

logger = logging.getLogger(__name__)

admin.site.unregister(User)


@admin.register(User)
class Users(UserAdmin[User] if TYPE_CHECKING else UserAdmin):  # type: ignore[misc] # takes no parameter at run time
    """Django's page of users, with a way to sign them out."""

    actions = ("end_sessions",)
    readonly_fields = ("stored", "uploads")
    fieldsets = (*(UserAdmin.fieldsets or ()), ("Usage", {"fields": readonly_fields}))

    @admin.display(description="Stored in the user's courses")
    def stored(self, user: User) -> str:
        return format_size(usage_of(user).stored)

    @admin.display(description="Uploads in the last hour")
    def uploads(self, user: User) -> int:
        return usage_of(user).uploads

    @admin.action(description="End all sessions of the selected users", permissions=["change"])
    def end_sessions(self, request: HttpRequest, users: QuerySet[User]) -> None:
        keys = list(users.values_list("pk", flat=True))
        ended, _ = Session.objects.filter(user__in=keys).delete()
        logger.info("account %s ended all sessions of the accounts %s", request.user.pk, keys)
        self.message_user(request, f"{ended} sessions were ended.", messages.SUCCESS)


if TYPE_CHECKING:
    UserIdAdmin = admin.ModelAdmin[MossUserId]
else:
    UserIdAdmin = admin.ModelAdmin  # takes no parameter at run time


@admin.register(MossUserId)
class MossUserIds(UserIdAdmin):
    list_display = ("user", "created")
    search_fields = ("user__username",)
    autocomplete_fields = ("user",)
