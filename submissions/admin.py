"""Django admin for support: all rows are read-only except courses and assignments.

Nothing is registered whose rows name students: an administrator states a reason to read a course.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from submissions import models

if TYPE_CHECKING:
    from django.db.models import Model
    from django.http import HttpRequest

    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin  # takes no parameter at run time


class ReadOnlyAdmin(ModelAdmin):
    """Admin of rows that only the service writes; deleting one of them would make reports inconsistent."""

    show_full_result_count = False

    def has_add_permission(self, *_: object) -> bool:
        return False

    def has_change_permission(self, *_: object) -> bool:
        return False

    def has_delete_permission(self, *_: object) -> bool:
        return False


class FixedReadersAdmin(ModelAdmin):
    """Admin of rows whose `readers` field says who reads what was handed in: it is chosen once.

    The page of the people of a course transfers it, which takes a reason.
    """

    readers = ""

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        fields = tuple(super().get_readonly_fields(request, obj))
        return (*fields, self.readers) if obj else fields


@admin.register(models.Course)
class CourseAdmin(FixedReadersAdmin):
    readers = "owner"
    list_display = ("name", "owner", "created")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    autocomplete_fields = ("owner",)


@admin.register(models.Assignment)
class AssignmentAdmin(FixedReadersAdmin):
    readers = "course"
    list_display = ("name", "course", "language", "common_limit", "created")
    list_select_related = ("course",)
    search_fields = ("name", "course__name")
    autocomplete_fields = ("course",)
    # The settings page changes it, which has stored files read again.
    readonly_fields = ("language",)


@admin.register(models.Source)
class SourceAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "size")
    search_fields = ("sha256",)
    fields = ("sha256", "size")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("data")


@admin.register(models.Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("source", "language", "profile", "state", "token_count", "attempts")
    list_filter = ("state", "language")
    list_select_related = ("source",)
    search_fields = ("source__sha256", "reason")
    fields = ("source", "language", "profile", "state", "reason", "attempts", "token_count")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("tokens", "coarse", "source__data")


@admin.register(models.Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("pk", "assignment", "state", "created", "finished")
    list_filter = ("state",)
    list_select_related = ("assignment",)
    fields = ("assignment", "state", "message", "parameters", "created", "finished")


@admin.register(models.StatedReason)
class StatedReasonAdmin(ReadOnlyAdmin):
    list_display = ("user", "course", "created", "expires", "reason")
    list_select_related = ("user", "course")
    search_fields = ("user__username", "course__name", "reason")
