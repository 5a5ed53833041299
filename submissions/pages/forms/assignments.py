"""What a person may type or upload, and what is said when it will not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.timezone import get_current_timezone_name

from fingerprint.engine import choices as languages
from submissions import teams
from submissions.models import Assignment, Course, Decision
from submissions.queries import SORT_FIELDS, PairFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import UploadedFile

    CourseModelForm = forms.ModelForm[Course]
    AssignmentModelForm = forms.ModelForm[Assignment]
else:
    CourseModelForm = AssignmentModelForm = forms.ModelForm  # takes no parameter at run time


# Teams of a few thousand students.
TEAM_CHARACTERS = 100_000
FIRST_YEAR, LAST_YEAR = 1970, 9998


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
            raise ValidationError("You have a course of this name already.")
        return name


def _languages() -> list[tuple[str, str]]:
    return [("", "Tell from each file"), *sorted(languages(), key=lambda one: one[1].casefold())]


class AssignmentForm(AssignmentModelForm):
    language = forms.ChoiceField(
        choices=_languages, required=False, help_text="Choose one only where file names do not tell it."
    )
    common_limit = forms.IntegerField(
        label="Common limit",
        min_value=2,
        required=False,
        help_text="Code found in more submissions than this is ignored. Empty: 10, and off in small classes.",
    )

    class Meta:
        model = Assignment
        fields = ("name", "language", "common_limit")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.course = course

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Assignment.objects.filter(course=self.instance.course, name=name).exclude(pk=self.instance.pk)
        if same.exists():
            raise ValidationError("This course has an assignment of this name already.")
        return name


class SettingsForm(AssignmentForm):
    """What may change once files were uploaded: the language is settled when a file is first read."""

    due = forms.DateTimeField(
        required=False,
        label="Due",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"invalid": "Give a date and a time, as in 2026-11-21 18:00."},
    )
    teams = forms.CharField(
        required=False,
        max_length=TEAM_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text="One team a line, names of submissions separated by commas. A name with a comma goes in "
        'quotes: "Doe, Jane". Pairs within a team are flagged.',
    )

    class Meta:
        model = Assignment
        fields = ("name", "common_limit", "due", "teams")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["language"]
        zone = get_current_timezone_name()
        self.fields[
            "due"
        ].help_text = f"Pairs with a submission that came in later are flagged. Time zone: {zone}."

    def clean_due(self) -> datetime | None:
        """Refuse what a calendar cannot hold in another zone: no page of the assignment could read it."""
        due: datetime | None = self.cleaned_data["due"]
        if due and not FIRST_YEAR <= due.year <= LAST_YEAR:
            raise ValidationError(f"Give a year from {FIRST_YEAR} to {LAST_YEAR}.")
        return due

    def hide_names(self) -> None:
        """Offer nothing that names a student; what was set stays."""
        del self.fields["teams"]

    def clean_teams(self) -> str:
        text: str = self.cleaned_data["teams"]
        try:
            teams.check(text)
        except teams.BadTeams as error:
            raise ValidationError(str(error)) from error
        return text


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files, each cleaned as Django cleans one."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = data if isinstance(data, list | tuple) else [data]
        cleaned = [super(FilesField, self).clean(file, initial) for file in files or [None]]
        if sum(file.size for file in cleaned) > settings.MAX_UPLOAD_BYTES:
            raise ValidationError(f"That is more than {settings.MAX_UPLOAD_BYTES // 1_000_000} MB at once.")
        return cleaned


class UploadForm(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Told to the page as well, so that nobody waits for what will be refused.
        self.limit = settings.MAX_UPLOAD_BYTES
        # An empty file is no reason to refuse the rest: the batch lists it with its reason.
        self.fields["files"] = FilesField(
            label="Files", allow_empty_file=True, error_messages={"required": "Choose at least one file."}
        )


FLAGS = {
    "identical": "Identical",
    "renamed": "Same but for names",
    "late": "Handed in late",
    "team": "Same team",
    "apart": "Not the same team",
}


class FilterForm(forms.Form):
    """A report's filter, read from the address; a value that will not do is left out."""

    q = forms.CharField(required=False, label="Name", max_length=200)
    minimum = forms.IntegerField(required=False, label="At least", min_value=0, max_value=100)
    flag = forms.ChoiceField(required=False, label="Flag", choices=[("", "Any"), *FLAGS.items()])
    decision = forms.ChoiceField(
        required=False, choices=[("", ""), *Decision.State.choices], widget=forms.HiddenInput
    )
    sort = forms.ChoiceField(
        required=False,
        choices=[(sign + name, name) for name in SORT_FIELDS for sign in ("", "-")],
        widget=forms.HiddenInput,
    )

    def offer(self, flags: Iterable[str]) -> None:
        """Let be chosen from those flags that any pair could have."""
        choices = [("", "Any"), *((flag, FLAGS[flag]) for flag in flags)]
        cast("forms.ChoiceField", self.fields["flag"]).choices = choices


def pair_filter(query: Mapping[str, Any]) -> PairFilter:
    form = FilterForm(query)
    form.is_valid()
    chosen = form.cleaned_data
    return PairFilter(
        text=chosen.get("q", ""),
        minimum=(chosen.get("minimum") or 0) / 100,
        sort=chosen.get("sort") or "-similarity",
        decision=chosen.get("decision", ""),
        flag=chosen.get("flag", ""),
    )


def address(chosen: PairFilter, page: int) -> str:
    """Write a filter as the query of an address, shortest form; "" for none."""
    words = {"q": chosen.text, "minimum": round(chosen.minimum * 100) or "", "flag": chosen.flag}
    words |= {"decision": chosen.decision, "sort": chosen.sort if chosen.sort != "-similarity" else ""}
    words["page"] = page if page > 1 else ""
    kept = {name: value for name, value in words.items() if value}
    return f"?{urlencode(kept)}" if kept else ""
