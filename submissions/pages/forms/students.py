"""Choose one student of all courses, to export or erase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.pages.forms.people import LONGEST_REASON, SHORTEST_REASON

if TYPE_CHECKING:
    from submissions.students.scope import Scope

LONGEST_NAME = 400


class StudentForm(forms.Form):
    """A name or id; it is sent in the body of a request, so that no address has it."""

    student = forms.CharField(
        label=_("Name or id of the student"),
        max_length=LONGEST_NAME,
        help_text=_(
            "As a submission or a roster has it. An id finds one person; a name may be that of several."
        ),
    )


class ChosenForm(StudentForm):
    """The chosen courses of a student that was found, with the reason."""

    def __init__(self, work: Scope, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "chosen_%s", **kwargs})
        self.fields["student"].widget = forms.HiddenInput()
        courses = forms.MultipleChoiceField(
            label=_("Courses"),
            widget=forms.CheckboxSelectMultiple,
            choices=[(one.course.pk, one.course.name) for one in work.chosen],
            initial=[one.course.pk for one in work.chosen if not one.is_ambiguous],
        )
        self.fields["courses"] = courses
        self.fields["reason"] = forms.CharField(
            label=_("Why?"),
            min_length=SHORTEST_REASON,
            max_length=LONGEST_REASON,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_("The audit log and the receipt keep the reason, with your name and the time."),
        )
