"""Form of a preview: changes the `Choices` by which an upload is grouped; and of a roster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from submissions.actions.rosters import read_roster
from submissions.intake.archives.choices import BadChoices
from submissions.intake.archives.submission_names import clean_name
from submissions.intake.rosters import RosterRefused
from submissions.intake.rosters.table import check_size
from submissions.pages.warning_texts import roster_problem

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.http import QueryDict

    from submissions.intake.archives.choices import Attempts, Choices
    from submissions.intake.rosters import Roster

# The value of a choice of depth in the list of layouts: "depth 2".
DEPTH = "depth "
MAX_DIGITS = 2


class PreviewForm:
    """Changes to the choices of a listed upload.

    `layout`: the key of a layout, or DEPTH and a number; `attempts`; `old` and `new`: names of submissions as
    shown, and as wanted; `chosen`: names of submissions to `do` something with: merge, split, or reset all.
    """

    def __init__(self, data: QueryDict) -> None:
        self.data = data

    def change(self, choices: Choices) -> Choices:
        """Return the choices with these changes.

        Raises
        ------
        BadChoices
            For a value that is no choice; the message is for the uploader.
        """
        choices = self._with_layout(choices)
        if self.data.get("do") == "reset":
            return replace(choices, split=frozenset(), renames={})
        renames = self._renames(choices)
        chosen = [name for name in self.data.getlist("chosen") if name]
        if self.data.get("do") == "merge" and chosen:
            renames |= dict.fromkeys(self._originals(choices, chosen), chosen[0])
        choices = replace(choices, renames=renames)
        return self._split(choices, chosen) if self.data.get("do") == "split" else choices

    def _with_layout(self, choices: Choices) -> Choices:
        layout = self.data.get("layout", choices.layout)
        depth = _number(layout.removeprefix(DEPTH)) if layout.startswith(DEPTH) else None
        attempts: Attempts = "all" if self.data.get("attempts", choices.attempts) == "all" else "last"
        layout = "" if depth is not None else layout
        changed = replace(choices, layout=layout, depth=depth, attempts=attempts)
        if changed == choices:
            return choices
        # Other submissions have other names: merges and renames meant those before.
        return replace(changed, split=frozenset(), renames={})

    def _renames(self, choices: Choices) -> dict[str, str]:
        renames = dict(choices.renames)
        for old, new in zip(self.data.getlist("old"), self.data.getlist("new"), strict=False):
            name = clean_name(new)
            if name and name != old:
                renames |= dict.fromkeys(self._originals(choices, [old]), name)
        return {old: new for old, new in renames.items() if old != new}

    def _split(self, choices: Choices, chosen: list[str]) -> Choices:
        """Take back the merge of submissions that were merged, and split the others."""
        merged = {name: self._originals(choices, [name]) for name in chosen}
        undone = {original for originals in merged.values() if len(originals) > 1 for original in originals}
        split = {originals[0] for originals in merged.values() if len(originals) == 1}
        renames = {old: new for old, new in choices.renames.items() if old not in undone | split}
        return replace(choices, renames=renames, split=choices.split | split)

    def _originals(self, choices: Choices, names: list[str]) -> list[str]:
        """Return the names, as grouped, of submissions by the names that they have now."""
        renamed = [old for old, new in choices.renames.items() if new in names]
        return renamed + [name for name in names if name not in choices.renames]


def _number(text: str) -> int:
    if not (text.isdecimal() and len(text) <= MAX_DIGITS):
        raise BadChoices(f"{text!r} is no depth.")
    return int(text)


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
