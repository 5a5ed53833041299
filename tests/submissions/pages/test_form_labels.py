"""The labels of all forms are marked for translation: Django would make an English one of a field's name."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from django import forms
from django.utils.functional import Promise

PACKAGES = ("submissions", "moss.integrations")
# Fields whose templates write the label or the `aria-label`, and such as no page shows.
LABELLED_ELSEWHERE = {
    "DecisionForm.notes",
    "DecisionForm.state",
    "ExportForm.format",
    "LinesForm.first",
    "LinesForm.last",
    "RoleForm.role",
    "ShareForm.until",
    "ThresholdForm.percent",
    "ThresholdForm.tab",
}


def forms_of_pages() -> Iterator[type[forms.Form | forms.ModelForm[Any]]]:
    for package in PACKAGES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if "form" in module.name:
                import_module(module.name)
    waiting: list[Any] = [forms.Form, forms.ModelForm]
    while waiting:
        form = waiting.pop()
        waiting += form.__subclasses__()
        if form.__module__.startswith(("submissions.", "moss.")):
            yield form


def test_every_label_of_a_form_is_marked_for_translation() -> None:
    unmarked = {
        f"{form.__name__}.{name}"
        for form in forms_of_pages()
        for name, field in form.base_fields.items()
        if not isinstance(field.label, Promise) and not field.widget.is_hidden
    }
    assert unmarked == LABELLED_ELSEWHERE
