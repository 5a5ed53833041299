"""Django admin of accounts and of user ids of MOSS clients: each change is in the audit log.

Nothing of courses and students is in it: their pages ask for a right and a reason.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from moss.integrations.accounts.change import NONE_LEFT, leaves_no_administrator
from moss.integrations.accounts.models import Session
from moss.integrations.moss_protocol.models import MossUserId
from submissions.audit.models import AuditAction
from submissions.core.accounts import usage_of
from submissions.intake.limits import format_size
from submissions.models import AuditEntry

logger = logging.getLogger(__name__)

admin.site.unregister(User)
# Django stores what it deletes together without a signal.
admin.site.disable_action("delete_selected")


@receiver(post_save, sender=LogEntry, dispatch_uid="audit")
def note_change(sender: type, instance: LogEntry, **_: object) -> None:  # noqa: ARG001 - a receiver's
    """Write an entry of the audit log for each row that is added, changed or deleted here."""
    _note(instance.user.get_username(), f"{instance.content_type}: {instance}")


def _note(who: str, subject: str) -> None:
    AuditEntry.objects.create(who=who, action=AuditAction.CHANGED_PEOPLE, subject=subject, page="admin")


class UserForm(UserChangeForm[User] if TYPE_CHECKING else UserChangeForm):  # type: ignore[misc] # as Users below
    """Django's form of a user, which keeps an administrator who can sign in."""

    def clean(self) -> dict[str, Any] | None:
        stays = self.cleaned_data.get("is_active") and self.cleaned_data.get("is_staff")
        if not stays and leaves_no_administrator([self.instance]):
            raise ValidationError(NONE_LEFT)
        return super().clean()  # type: ignore[no-any-return]


@admin.register(User)
class Users(UserAdmin[User] if TYPE_CHECKING else UserAdmin):  # type: ignore[misc] # takes no parameter at run time
    """Django's page of users, with a way to sign them out."""

    form = UserForm
    actions = ("end_sessions",)
    readonly_fields = ("stored", "uploads")
    fieldsets = (*(UserAdmin.fieldsets or ()), ("Usage", {"fields": readonly_fields}))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Keep the last administrator, and owners: their courses would go too, with what a hold protects."""
        is_kept = obj is not None and (obj.courses.exists() or leaves_no_administrator([obj]))
        return not is_kept and super().has_delete_permission(request, obj)

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
        names = ", ".join(user.get_username() for user in users)
        _note(request.user.get_username(), f"ended all sessions: {names}")
        logger.info("account %s ended all sessions of the accounts %s", request.user.pk, keys)
        self.message_user(request, f"{ended} sessions were ended.", messages.SUCCESS)


@admin.register(MossUserId)
class MossUserIds(admin.ModelAdmin[MossUserId] if TYPE_CHECKING else admin.ModelAdmin):  # type: ignore[misc] # as above
    list_display = ("user", "created")
    search_fields = ("user__username",)
    autocomplete_fields = ("user",)
