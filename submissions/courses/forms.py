"""Forms of courses, their people and their assignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext, gettext_lazy, gettext_lazy as _

from fingerprint.engine import choices
from submissions.courses.models import CampusGroup, Membership, Role
from submissions.courses.read import archive_languages, invitations_of_the_last_hour
from submissions.courses.retention import NOTICE, SOURCES_NOTICE
from submissions.intake.file_languages import ChosenLanguages, check_language_patterns
from submissions.intake.left_out.patterns import BadPatterns, parse_patterns
from submissions.matches.groups import BadTeams, validate_teams
from submissions.models import Assignment, Course
from submissions.reports.change import compare_with
from submissions.reports.old_work import comparisons_of_others
from submissions.uploads.change import rerank
from submissions.uploads.rereading import change_language

if TYPE_CHECKING:
    CourseModelForm = forms.ModelForm[Course]
    MemberChoiceField = forms.ModelChoiceField[Membership]
    CampusGroupModelForm = forms.ModelForm[CampusGroup]
    AssignmentMultipleChoiceField = forms.ModelMultipleChoiceField[Assignment]
    AssignmentModelForm = forms.ModelForm[Assignment]
else:  # They take no parameters at run time.
    CourseModelForm = forms.ModelForm
    MemberChoiceField = forms.ModelChoiceField
    CampusGroupModelForm = forms.ModelForm
    AssignmentMultipleChoiceField = forms.ModelMultipleChoiceField
    AssignmentModelForm = forms.ModelForm

LONGEST_MONTHS = 240
# The people of the course are told before.
SHORTEST_DAYS, LONGEST_DAYS = SOURCES_NOTICE.days, 3650

ROLE_HINT = _(
    "Instructors may do all but transfer or delete the course. Teaching assistants read and decide. "
    "Observers read with made-up names."
)
SHORTEST_REASON, LONGEST_REASON = 10, 1000
# Invitations of one account in an hour: each is a mail to an address that nobody checked.
MOST_INVITATIONS = 100

NOT_IN_ARCHIVE = _(
    "This course does not take part in the department's archive. Its owner can change that in the settings "
    "of the course."
)

# Enough for the teams of a few thousand students.
MAX_TEAMS_CHARACTERS = 100_000
# Enough for hundreds of patterns.
MAX_PATTERNS_CHARACTERS = 10_000
# Settings of which a report's ranking depends.
RANKED_BY = {"common_limit", "teams", "compare_mates"}


class CourseForm(CourseModelForm):
    class Meta:
        model = Course
        fields: tuple[str, ...] = ("name",)
        labels: ClassVar = {"name": gettext_lazy("Name")}

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.owner = owner

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Course.objects.filter(owner=self.instance.owner, name=name).exclude(pk=self.instance.pk)
        if same.exists():
            raise ValidationError(gettext("You have a course of this name already."))
        return name


def _retention_texts() -> Iterator[str]:
    """Yield what an owner has to know of how long assignments are kept, in this service."""
    default, most = settings.KEEP_MONTHS or settings.KEEP_MONTHS_MOST, settings.KEEP_MONTHS_MOST
    text = gettext(
        "This long after the last upload or decision, an assignment is deleted with everything in it. "
        "You are told {days} days before."
    )
    yield text.format(days=NOTICE.days)
    if most:
        yield gettext("This service keeps assignments for at most {n} months.").format(n=most)
    if default:
        yield gettext("Empty: {n} months, as in all courses that state no number.").format(n=default)
    else:
        yield gettext("Empty: nothing is deleted.")
    if settings.BACKUP_DAYS:
        yield gettext("Backups are deleted after {n} days.").format(n=settings.BACKUP_DAYS)


def _source_texts() -> Iterator[str]:
    """Yield what an owner has to know of how long sources are kept, in this service."""
    text = gettext(
        "This long after the last report, the text of what was handed in is deleted, except that of "
        "submissions in pairs and cases decided as suspicious or confirmed. The report, its figures "
        "and all decisions stay. You are told {days} days before."
    )
    yield text.format(days=SOURCES_NOTICE.days)
    most = settings.KEEP_SOURCES_DAYS_MOST
    if most:
        yield gettext("This service keeps sources for at most {n} days.").format(n=most)
    if default := settings.KEEP_SOURCES_DAYS or most:
        yield gettext("Empty: {n} days, as in all courses that state no number.").format(n=default)
    else:
        yield gettext("Empty: sources stay as long as the assignment.")


class CourseSettingsForm(CourseForm):
    """Rename a course, and say how long its assignments and their sources are kept."""

    keep_months = forms.IntegerField(
        label=gettext_lazy("Keep assignments for (months)"), required=False, min_value=1, max_value=LONGEST_MONTHS
    )
    keep_sources_days = forms.IntegerField(
        label=gettext_lazy("Keep sources for (days)"), required=False, min_value=SHORTEST_DAYS, max_value=LONGEST_DAYS
    )
    in_archive = forms.BooleanField(
        label=gettext_lazy("Department's archive"),
        required=False,
        widget=forms.Select(choices=[(False, gettext_lazy("Does not take part")), (True, gettext_lazy("Takes part"))]),
        help_text=gettext_lazy(
            "Other courses that take part are compared with the assignments of this course, and its own may "
            "be compared with theirs. Members of other courses see only that there is a match, how similar "
            "it is, and whom to ask. Only the owner of the course can change this."
        ),
    )

    class Meta(CourseForm.Meta):
        fields = ("name", "keep_months", "keep_sources_days", "in_archive")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["keep_months"].help_text = " ".join(_retention_texts())
        self.fields["keep_sources_days"].help_text = " ".join(_source_texts())

    def clean_keep_months(self) -> int | None:
        """Refuse more than the service allows, but for what was stored before it did: less of that holds."""
        months: int | None = self.cleaned_data["keep_months"]
        most = settings.KEEP_MONTHS_MOST
        if months and most and months > most and months != self.instance.keep_months:
            raise ValidationError(gettext("This service keeps assignments for at most {n} months.").format(n=most))
        return months

    def clean_keep_sources_days(self) -> int | None:
        days: int | None = self.cleaned_data["keep_sources_days"]
        most = settings.KEEP_SOURCES_DAYS_MOST
        if days and most and days > most and days != self.instance.keep_sources_days:
            raise ValidationError(gettext("This service keeps sources for at most {n} days.").format(n=most))
        return days

    def keep_archive(self) -> None:
        """Make the choice about the archive one that can be read but not changed."""
        self.fields["in_archive"].disabled = True


class InvitationForm(forms.Form):
    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, help_text=ROLE_HINT, initial=Role.ASSISTANT)

    def __init__(self, inviter: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.inviter = inviter

    def clean(self) -> dict[str, Any]:
        """Refuse more invitations of one account than an hour allows."""
        if invitations_of_the_last_hour(self.inviter) >= MOST_INVITATIONS:
            text = _("You sent {n} invitations in the last hour, as many as one may. Go on later.")
            raise ValidationError(text.format(n=MOST_INVITATIONS))
        return self.cleaned_data


class CampusGroupForm(CampusGroupModelForm):
    class Meta:
        model = CampusGroup
        fields = ("group", "role")
        labels: ClassVar = {"group": _("Name of the group"), "role": _("Role")}

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.course = course

    def clean_group(self) -> str:
        group: str = self.cleaned_data["group"]
        if CampusGroup.objects.filter(course=self.instance.course, group=group).exists():
            raise ValidationError(_("This group has a role in the course already."))
        return group


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Why do you need to read it?"),
        min_length=SHORTEST_REASON,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The people of the course see the reason, with your name and the time."),
    )


class MemberField(MemberChoiceField):
    def label_from_instance(self, membership: Membership) -> str:
        return membership.user.get_username()


class TransferForm(forms.Form):
    """Choose the member who becomes the owner."""

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = Membership.objects.filter(course=course).select_related("user")
        self.fields["member"] = MemberField(members, label=_("New owner"), empty_label=None)


class _AssignmentChoices(AssignmentMultipleChoiceField):
    def label_from_instance(self, assignment: Assignment) -> str:
        return f"{assignment.name}, {assignment.shown_term} ({assignment.course.name})"


class ComparisonFields(forms.Form):
    """The other assignments that an assignment is compared with."""

    # Set by `offer_assignments` and `offer_archive`: what is stored stays where it cannot be chosen.
    in_archive = stored_course = stored_archive = False

    compare_course = forms.BooleanField(
        label=_("Earlier assignments of this course"),
        required=False,
        widget=forms.Select(choices=[(False, _("Do not compare")), (True, _("Compare with every earlier one"))]),
        help_text=_(
            "Their submissions are compared with this class, not among themselves. A student's own "
            "earlier work is flagged, and makes no case."
        ),
    )
    compared_with = _AssignmentChoices(
        label=_("Other assignments to compare with"),
        queryset=Assignment.objects.none(),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 6}),
        help_text=_(
            "Assignments of your courses: hold Ctrl or ⌘ to choose several or to undo a choice. Each "
            "submission is compared with the few dozen old ones that share most with it."
        ),
    )

    compare_archive = forms.BooleanField(
        label=_("The department's archive"),
        required=False,
        widget=forms.Select(choices=[(False, _("Do not compare")), (True, _("Compare with all of it"))]),
    )

    def clean_compare_archive(self) -> bool:
        chosen: bool = self.cleaned_data["compare_archive"]
        if chosen and not self.in_archive:
            raise ValidationError(NOT_IN_ARCHIVE)
        return chosen

    def offer_archive(self, assignment: Assignment) -> None:
        """Say what the archive adds, and set whether it is chosen now."""
        self.in_archive, self.stored_archive = assignment.course.in_archive, assignment.compare_archive
        field = self.fields["compare_archive"]
        field.disabled = field.disabled or not (self.in_archive or self.is_bound)
        field.help_text = _archive_help(assignment) if self.in_archive else NOT_IN_ARCHIVE
        self.initial["compare_archive"] = self.in_archive and assignment.compare_archive

    def offer_assignments(self, others: QuerySet[Assignment], assignment: Assignment) -> None:
        """Set the assignments that can be chosen, and what is chosen now.

        Where there is none, the page does not show these fields; what a program sends in them counts.
        """
        self.stored_course = assignment.compare_course
        if not others and not {"compare_course", "compared_with"} & self.data.keys():
            del self.fields["compare_course"], self.fields["compared_with"]
            return
        cast("forms.ModelMultipleChoiceField[Assignment]", self.fields["compared_with"]).queryset = others
        self.initial["compare_course"] = assignment.compare_course
        chosen = assignment.compared_with.filter(pk__in=others.order_by().values("pk"))
        self.initial["compared_with"] = list(chosen.values_list("pk", flat=True))

    @property
    def chosen_assignments(self) -> list[Assignment]:
        return list(self.cleaned_data.get("compared_with", ()))

    @property
    def compares_course(self) -> bool:
        """True if earlier assignments of the course are chosen; as stored where none can be."""
        return bool(self.cleaned_data.get("compare_course", self.stored_course))

    @property
    def compares_archive(self) -> bool:
        """True if the archive is chosen; as stored while the course is not in it."""
        return bool(self.cleaned_data["compare_archive"]) if self.in_archive else self.stored_archive


def _archive_help(assignment: Assignment) -> str:
    """Return what the archive adds now, by language."""
    rows = archive_languages(assignment)
    if not rows:
        return gettext("No other course that takes part has submissions yet.")
    titles = dict(choices())
    counts = ", ".join(f"{titles.get(row.language, row.language)} {row.submissions}" for row in rows)
    text = gettext("Found when the ranking starts. Now it adds submissions in: {counts}.")
    return text.format(counts=counts)


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
            "Code that more submissions than this have counts in shares alone. Empty: half of the class, "
            "at least 10; "
            "submissions that are alike count as one."
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


class LinesField(forms.CharField):
    """Patterns of files or teams, one a line; `check` raises BadPatterns or BadTeams."""

    def __init__(self, check: Callable[[str], None], rows: int = 2, **of_field: Any) -> None:
        box = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
        super().__init__(required=False, widget=box, **{"max_length": MAX_PATTERNS_CHARACTERS, **of_field})
        self.check = check

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        try:
            self.check(text)
        except (BadPatterns, BadTeams) as error:
            raise ValidationError(str(error)) from error
        return text


def _check_patterns(text: str, *, include: bool = False) -> None:
    parse_patterns(text.splitlines(), include=include)


class PatternFields(forms.Form):
    """Patterns of files that count, of files that do not, and of files in a certain language."""

    include_patterns = LinesField(
        partial(_check_patterns, include=True),
        3,
        label=_("Also compare"),
        help_text=_(
            "Files that are compared although they are generated, compiled or downloaded, one pattern "
            "a line, as in .gitignore. @ and the name of a rule compares all files of that rule."
        ),
    )
    exclude_patterns = LinesField(
        _check_patterns,
        3,
        label=_("Do not compare"),
        help_text=_("Files that are not compared, one pattern a line: *.csv, /tests/."),
    )
    only_patterns = LinesField(
        _check_patterns,
        label=_("Compare only"),
        help_text=_("Files that match one of these patterns, one a line: src/**, *.java. Empty: all files."),
    )
    language_patterns = LinesField(
        check_language_patterns,
        label=_("Languages by name"),
        help_text=_(
            "For files whose language is not detected: a pattern, = and a language on each line, "
            "such as *.st = Structured Text."
        ),
    )


class SettingsForm(ComparisonFields, PatternFields, AssignmentForm):
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
    teams = LinesField(
        validate_teams,
        6,
        label=_("Teams"),
        max_length=MAX_TEAMS_CHARACTERS,
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
            "include_patterns", "exclude_patterns", "only_patterns", "hold",
        )  # fmt: skip
        labels: ClassVar = AssignmentForm.Meta.labels

    hold = forms.CharField(
        label=_("Do not delete, because"),
        required=False,
        max_length=200,
        help_text=_(
            "A reason, such as an appeal or an open case. While it stands here, nothing of the assignment is "
            "deleted: neither by the retention of the course, nor by hand, nor with a student who is erased."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language, patterns = self.fields["language"], self.fields["only_patterns"]
        again = _("After a change, the files of all uploads are checked again.")
        language.help_text = f"{language.help_text} {again}"
        zone = get_current_timezone_name()
        late = _("Pairs with a submission that came in later are flagged. Time zone: {zone}.")
        self.fields["due"].help_text = late.format(zone=zone)
        waiting = _("All three apply to uploads that are not read yet.")
        patterns.help_text = f"{patterns.help_text} {waiting}"

    def hide_names(self) -> None:
        """Remove the fields that can name students; their stored values stay."""
        del self.fields["teams"], self.fields["hold"]

    def only_show(self) -> None:
        """Make every field one that can be read but not changed."""
        for field in self.fields.values():
            field.disabled = True


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


def changes_patterns(form: SettingsForm) -> bool:
    """Return whether a valid form changes which files are compared."""
    return bool({"include_patterns", "exclude_patterns", "only_patterns"} & {*form.changed_data})
