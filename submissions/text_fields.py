"""Columns of text that comes from files: what Postgres cannot store is replaced in one place, here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from fingerprint.engine import storable

if TYPE_CHECKING:
    CharField = models.CharField[str, str]
    TextField = models.TextField[str, str]
else:
    CharField, TextField = models.CharField, models.TextField  # take no parameters at run time


class FileCharField(CharField):
    """A CharField for names and paths from files; see `storable`. Migrations see a plain CharField."""

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.CharField", args, options

    def get_prep_value(self, value: Any) -> Any:
        return _storable(super().get_prep_value(value))


class FileTextField(TextField):
    """A TextField for messages about files; see `storable`. Migrations see a plain TextField."""

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options

    def get_prep_value(self, value: Any) -> Any:
        return _storable(super().get_prep_value(value))


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value
