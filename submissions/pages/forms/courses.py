"""Create and rename courses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from submissions.models import Course

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    CourseModelForm = forms.ModelForm[Course]
else:
    CourseModelForm = forms.ModelForm  # takes no parameter at run time


class CourseForm(CourseModelForm):
    class Meta:
        model = Course
        fields = ("name",)

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.owner = owner

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Course.objects.filter(owner=self.instance.owner, name=name).exclude(pk=self.instance.pk)
        if same.exists():
            raise ValidationError(_("You have a course of this name already."))
        return name
