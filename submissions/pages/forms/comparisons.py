"""Choose the other assignments that an assignment is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy as _

from fingerprint.engine import choices
from submissions.models import Assignment
from submissions.queries.archive import archive_languages

if TYPE_CHECKING:
    from django.db.models import QuerySet

    AssignmentMultipleChoiceField = forms.ModelMultipleChoiceField[Assignment]
else:
    AssignmentMultipleChoiceField = forms.ModelMultipleChoiceField  # takes no parameter at run time

NOT_IN_ARCHIVE = _(
    "This course does not take part in the department's archive. Its owner can change that in the settings "
    "of the course."
)


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
        widget=forms.Select(
            choices=[(False, _("Do not compare")), (True, _("Compare with every earlier one"))]
        ),
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
        widget=forms.Select(
            choices=[
                (False, _("Do not compare")),
                (True, _("Compare with all of it")),
            ]
        ),
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
