"""A row in every table of the product, for a backup that later versions must be able to restore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile
from django.db import models
from django.utils import timezone

from moss.operations.database import OWN
from submissions.models import ReadingRequest, Upload
from tests.support.every_page import World, addresses, api_places

# For a field that may not be empty and has no default.
VALUES: dict[type[models.Field[Any, Any]], Any] = {
    models.BinaryField: b"bytes",
    models.CharField: "text",
    models.IntegerField: 1,
    models.JSONField: {},
    models.TextField: "text",
}


def own_models() -> Iterator[type[models.Model]]:
    for app in apps.get_app_configs():
        if app.name.startswith(OWN):
            yield from app.get_models(include_auto_created=True)


def fill_every_table(world: World) -> None:
    """Store what every page shows, a file that waits, and a plain row where a table is empty still."""
    addresses(world)
    api_places(world, world.owner)
    Upload.objects.create(batch=world.batch, name="late.zip", file=ContentFile(b"bytes", "late.zip"))
    request = ReadingRequest.objects.latest("pk")
    request.changes.create(who="alice", field="state", after=ReadingRequest.State.ASKED)
    for model in own_models():
        _first_row(model)


def _first_row(model: type[models.Model]) -> models.Model:
    rows: models.Manager[models.Model] = model._default_manager
    return rows.first() or rows.create(**dict(_needed(model)))


def _needed(model: type[models.Model]) -> Iterator[tuple[str, Any]]:
    for field in model._meta.concrete_fields:
        if field.primary_key or field.null or field.has_default():
            continue
        if field.is_relation:
            yield field.name, _first_row(field.related_model)  # type: ignore[arg-type]
        elif getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
            continue
        elif isinstance(field, models.DateTimeField):
            yield field.name, timezone.now()
        else:
            yield field.name, next(value for kind, value in VALUES.items() if isinstance(field, kind))
