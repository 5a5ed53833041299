"""Create assignments and change their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext, gettext_lazy as _

from fingerprint.engine import choices
from submissions.actions.comparisons import change_language, compare_with
from submissions.actions.uploads import rerank
from submissions.intake import teams
from submissions.intake.archives.languages import check_language_patterns
from submissions.intake.left_out.patterns import BadPatterns, parse_patterns
from submissions.models import Assignment
from submissions.pages.forms.comparisons import ComparisonFields
from submissions.queries.comparisons import comparisons_of_others

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

    from submissions.intake.archives.languages import ChosenLanguages
    from submissions.models import Course

    AssignmentModelForm = forms.ModelForm[Assignment]
else:
    AssignmentModelForm = forms.ModelForm  # takes no parameter at run time

# Enough for the teams of a few thousand students.
MAX_TEAMS_CHARACTERS = 100_000
# Enough for hundreds of patterns.
MAX_PATTERNS_CHARACTERS = 10_000
FIRST_YEAR, LAST_YEAR = 1970, 9998
# Settings of which a report's ranking depends.
RANKED_BY = {"common_limit", "teams", "compare_mates"}


def _languages() -> list[tuple[str, str]]:
    named = sorted(choices(), key=lambda choice: choice[1].casefold())
    return [("", gettext("Detected for each file")), *named]


class AssignmentForm(AssignmentModelForm):
    language = forms.ChoiceField(
        label=_("Language"),
        choices=_languages,
        required=False,
        help_text=_("Choose one only if file names do not show the language."),
    )
    common_limit = forms.IntegerField(
        label=_("Common limit"),
        min_value=2,
        required=False,
        help_text=_(
            "Code found in more submissions than this is ignored. Empty: half of the class, at least "
            "10; submissions that are alike count as one."
        ),
    )

    class Meta:
        model = Assignment
        fields: tuple[str, ...] = ("name", "language", "common_limit")
        labels: ClassVar = {"name": _("Name")}

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.course = course

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Assignment.objects.filter(course=self.instance.course, name=name).exclude(pk=self.instance.pk)
        if same.exists():
            raise ValidationError(_("This course has an assignment of this name already."))
        return name


class PatternFields(forms.Form):
    """Patterns of files that count, of files that do not, and of files in a certain language."""

    include_patterns = forms.CharField(
        required=False,
        max_length=MAX_PATTERNS_CHARACTERS,
        label=_("Also compare"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_(
            "Files that are compared although they are generated, compiled or downloaded, one pattern "
            "a line, as in .gitignore. @ and the name of a rule compares all files of that rule."
        ),
    )
    exclude_patterns = forms.CharField(
        required=False,
        max_length=MAX_PATTERNS_CHARACTERS,
        label=_("Do not compare"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("Files that are not compared, one pattern a line: *.csv, /tests/."),
    )

    language_patterns = forms.CharField(
        required=False,
        max_length=MAX_PATTERNS_CHARACTERS,
        label=_("Languages by name"),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_(
            "For files whose language is not detected: a pattern, = and a language on each line, "
            "such as *.st = Structured Text."
        ),
    )

    def clean_include_patterns(self) -> str:
        return _checked_patterns(self.cleaned_data["include_patterns"], include=True)

    def clean_exclude_patterns(self) -> str:
        return _checked_patterns(self.cleaned_data["exclude_patterns"])

    def clean_language_patterns(self) -> str:
        text: str = self.cleaned_data["language_patterns"]
        try:
            check_language_patterns(text)
        except BadPatterns as error:
            raise ValidationError(str(error)) from error
        return text


class SettingsForm(ComparisonFields, PatternFields, AssignmentForm):
    """Settings of an existing assignment."""

    field_order = (
        "name", "term", "language", "language_patterns", "common_limit", "due", "teams", "compare_mates",
        "compare_course", "compared_with", "compare_archive",
    )  # fmt: skip

    term = forms.CharField(
        label=_("Term"),
        required=False,
        max_length=40,
        help_text=_("Such as “autumn 2026”, to tell this course from those of other years. Empty: the year."),
    )
    due = forms.DateTimeField(
        required=False,
        label=_("Due"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"invalid": _("Write a date and a time, as in 2026-11-21 18:00.")},
    )
    teams = forms.CharField(
        label=_("Teams"),
        required=False,
        max_length=MAX_TEAMS_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_(
            "One team a line, names of submissions separated by commas. A name with a comma goes in "
            'quotes: "Doe, Jane". The roster of the course may name teams, too.'
        ),
    )
    compare_mates = forms.BooleanField(
        label=_("Pairs within a team, and pairs of one student"),
        required=False,
        widget=forms.Select(choices=[(False, _("Do not compare")), (True, _("Compare and flag"))]),
        help_text=_("What team mates hand in each for themselves, and several attempts of one student."),
    )

    class Meta(AssignmentForm.Meta):
        fields = (
            "name", "term", "language", "language_patterns", "common_limit", "due", "teams", "compare_mates",
            "include_patterns", "exclude_patterns", "hold",
        )  # fmt: skip
        labels: ClassVar = AssignmentForm.Meta.labels

    hold = forms.CharField(
        label=_("Hold: keep it, because"),
        required=False,
        max_length=200,
        help_text=_(
            "A reason, such as an appeal or an open case. While it stands here, nothing of the assignment is "
            "deleted: neither by the retention of the course, nor by hand, nor with a student who is erased."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language, patterns = self.fields["language"], self.fields["exclude_patterns"]
        again = _("After a change, the files of all uploads are checked again.")
        language.help_text = f"{language.help_text} {again}"
        zone = get_current_timezone_name()
        late = _("Pairs with a submission that came in later are flagged. Time zone: {zone}.")
        self.fields["due"].help_text = late.format(zone=zone)
        both = _("Both apply to uploads that are not read yet.")
        patterns.help_text = f"{patterns.help_text} {both}"

    def clean_due(self) -> datetime | None:
        """Refuse years at the limits of `datetime`: conversion to another time zone would overflow."""
        due: datetime | None = self.cleaned_data["due"]
        if due and not FIRST_YEAR <= due.year <= LAST_YEAR:
            text = _("Write a year from {first} to {last}.")
            raise ValidationError(text.format(first=FIRST_YEAR, last=LAST_YEAR))
        return due

    def hide_names(self) -> None:
        """Remove the fields that can name students; their stored values stay."""
        del self.fields["teams"], self.fields["hold"]

    def only_show(self) -> None:
        """Make every field one that can be read but not changed."""
        for field in self.fields.values():
            field.disabled = True

    def clean_teams(self) -> str:
        text: str = self.cleaned_data["teams"]
        try:
            teams.validate_teams(text)
        except teams.BadTeams as error:
            raise ValidationError(str(error)) from error
        return text


def take_back_languages(assignment: Assignment, stored: ChosenLanguages) -> ChosenLanguages:
    """Let an assignment that a form has changed have its `stored` languages; return those of the form."""
    chosen = assignment.chosen_languages
    assignment.language, assignment.language_patterns = stored.language, stored.patterns
    return chosen


def save_settings(form: SettingsForm, user: User, chosen: ChosenLanguages | None) -> None:
    """Store valid settings; what decides which pairs are ranked starts a new ranking.

    `chosen` are the new languages if they changed; the instance of the form has the stored ones until then.
    """
    assignment = form.save()
    if chosen is not None:
        change_language(assignment, user, chosen.language, chosen.patterns)
    compared = [*form.chosen_assignments, *comparisons_of_others(assignment, user)]
    compare_with(assignment, compared, course=form.compares_course, archive=form.compares_archive, user=user)
    if RANKED_BY & {*form.changed_data} and assignment.batches.exists():
        rerank(assignment)


def _checked_patterns(text: str, *, include: bool = False) -> str:
    try:
        parse_patterns(text.splitlines(), include=include)
    except BadPatterns as error:
        raise ValidationError(str(error)) from error
    return text
