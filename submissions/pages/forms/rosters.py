"""Upload a roster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from submissions.actions.rosters import read_roster
from submissions.intake.rosters import RosterRefused
from submissions.intake.rosters.table import check_size
from submissions.pages.warning_texts import roster_problem

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from submissions.intake.rosters import Roster


class RosterForm(forms.Form):
    """A roster as a CSV file; `roster` is what was read from it."""

    roster: Roster
    file = forms.FileField(
        label=_("CSV file"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file.")},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
    )

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        try:
            check_size(file.size or 0)
            self.roster = read_roster(file.read())
        except RosterRefused as refused:
            raise ValidationError(roster_problem(str(refused))) from refused
        if not self.roster.students:
            raise ValidationError(_("No row of it has a student with a name or an id."))
        return file
