"""Create and rename courses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from submissions.models import Course
from submissions.queries.retention_rules import NOTICE, SOURCES_NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        fields: tuple[str, ...] = ("name",)
        labels: ClassVar = {"name": gettext_lazy("Name")}

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.owner = owner

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Course.objects.filter(owner=self.instance.owner, name=name).exclude(pk=self.instance.pk)
        if same.exists():
            raise ValidationError(_("You have a course of this name already."))
        return name


def _retention_texts() -> Iterator[str]:
    """Yield what an owner has to know of how long assignments are kept, in this service."""
    default, most = settings.KEEP_MONTHS or settings.KEEP_MONTHS_MOST, settings.KEEP_MONTHS_MOST
    text = _(
        "This long after the last upload or decision, an assignment is deleted with everything in it. "
        "You are told {days} days before."
    )
    yield text.format(days=NOTICE.days)
    if most:
        yield _("This service keeps assignments for at most {n} months.").format(n=most)
    if default:
        yield _("Empty: {n} months, as in all courses that state no number.").format(n=default)
    else:
        yield _("Empty: nothing is deleted.")
    if settings.BACKUP_DAYS:
        yield _("Backups are deleted after {n} days.").format(n=settings.BACKUP_DAYS)


def _source_texts() -> Iterator[str]:
    """Yield what an owner has to know of how long sources are kept, in this service."""
    text = _(
        "This long after the last report, the text of what was handed in is deleted, except that of "
        "submissions in pairs and cases decided as suspicious or confirmed. The report, its figures "
        "and all decisions stay. You are told {days} days before."
    )
    yield text.format(days=SOURCES_NOTICE.days)
    most = settings.KEEP_SOURCES_DAYS_MOST
    if most:
        yield _("This service keeps sources for at most {n} days.").format(n=most)
    if default := settings.KEEP_SOURCES_DAYS or most:
        yield _("Empty: {n} days, as in all courses that state no number.").format(n=default)
    else:
        yield _("Empty: sources stay as long as the assignment.")


class CourseSettingsForm(CourseForm):
    """Rename a course, and say how long its assignments and their sources are kept."""

    keep_months = forms.IntegerField(
        label=gettext_lazy("Keep assignments for (months)"),
        required=False,
        min_value=1,
        max_value=LONGEST_MONTHS,
    )
    keep_sources_days = forms.IntegerField(
        label=gettext_lazy("Keep sources for (days)"),
        required=False,
        min_value=SHORTEST_DAYS,
        max_value=LONGEST_DAYS,
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
            raise ValidationError(_("This service keeps assignments for at most {n} months.").format(n=most))
        return months

    def clean_keep_sources_days(self) -> int | None:
        """As for months."""
        days: int | None = self.cleaned_data["keep_sources_days"]
        most = settings.KEEP_SOURCES_DAYS_MOST
        if days and most and days > most and days != self.instance.keep_sources_days:
            raise ValidationError(_("This service keeps sources for at most {n} days.").format(n=most))
        return days

    def keep_archive(self) -> None:
        """Make the choice about the archive one that can be read but not changed."""
        self.fields["in_archive"].disabled = True
