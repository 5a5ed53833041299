"""The register of what an erasure does with each column."""

import pytest
from django.apps import apps
from django.db import models

from submissions.students.register import OTHER_APPS, REGISTER

# Columns that can hold a text, or what follows from one.
KINDS = (
    models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField,
    models.GenericIPAddressField,
)  # fmt: skip


def columns_of(model: type[models.Model]) -> set[str]:
    return {column.name for column in model._meta.concrete_fields if isinstance(column, KINDS)}


MODELS = [model for model in apps.get_models(include_auto_created=True) if columns_of(model)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_column_that_can_hold_a_name_is_cleaned_or_declared_free(model: type[models.Model]) -> None:
    table = REGISTER.get(model._meta.label)
    if table is None:
        assert OTHER_APPS[model._meta.app_label]
        assert model._meta.app_label != "submissions"
        return
    listed = [*table.rows, *table.searched, *table.free]
    assert sorted(listed) == sorted(columns_of(model))
    assert bool(table.free) == bool(table.why)


def test_the_register_has_no_table_that_does_not_exist() -> None:
    assert set(REGISTER) <= {model._meta.label for model in MODELS}
