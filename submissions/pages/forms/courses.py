"""Create and rename courses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _, gettext_lazy

from submissions.models import Course
from submissions.queries.retention import NOTICE, SOURCES_NOTICE

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    CourseModelForm = forms.ModelForm[Course]
else:
    CourseModelForm = forms.ModelForm  # takes no parameter at run time

LONGEST_MONTHS = 240
# The people of the course are told before.
SHORTEST_DAYS, LONGEST_DAYS = SOURCES_NOTICE.days, 3650


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


class CourseSettingsForm(CourseForm):
    """Rename a course, and say how long its assignments and their sources are kept."""

    keep_months = forms.IntegerField(
        label=gettext_lazy("Keep assignments for, months"),
        required=False,
        min_value=1,
        max_value=LONGEST_MONTHS,
        help_text=format_lazy(
            gettext_lazy(
                "This long after the last upload or decision, an assignment is deleted with everything in "
                "it. You are told {days} days before. Empty: nothing is deleted."
            ),
            days=NOTICE.days,
        ),
    )
    keep_sources_days = forms.IntegerField(
        label=gettext_lazy("Keep sources for, days"),
        required=False,
        min_value=SHORTEST_DAYS,
        max_value=LONGEST_DAYS,
        help_text=format_lazy(
            gettext_lazy(
                "This long after the last report, the text of what was handed in is deleted, except that of "
                "submissions in pairs and cases decided as suspicious or confirmed. The report, its figures "
                "and all decisions stay. You are told {days} days before. Empty: sources stay as long as the "
                "assignment."
            ),
            days=SOURCES_NOTICE.days,
        ),
    )
    in_archive = forms.BooleanField(
        label=gettext_lazy("Department's archive"),
        required=False,
        widget=forms.Select(
            choices=[(False, gettext_lazy("Does not take part")), (True, gettext_lazy("Takes part"))]
        ),
        help_text=gettext_lazy(
            "Other courses that take part are compared with the assignments of this course, and its own may "
            "be compared with theirs. Members of other courses see only that there is a match, how similar "
            "it is, and whom to ask. Only the owner of the course can change this."
        ),
    )

    class Meta:
        model = Course
        fields = ("name", "keep_months", "keep_sources_days", "in_archive")

    def keep_archive(self) -> None:
        """Make the choice about the archive one that can be read but not changed."""
        self.fields["in_archive"].disabled = True
