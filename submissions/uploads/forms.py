"""Forms of uploads and boilerplate, of a preview, which changes how an upload is grouped, and of a roster."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from fingerprint.engine import storable
from submissions.courses.change import read_roster
from submissions.intake.choices import Attempts, BadChoices, Choices, clean_name
from submissions.intake.rosters import Roster, RosterRefused, check_size
from submissions.models import Batch
from submissions.pages.language import roster_problem
from submissions.pages.requests import too_much_at_once

# Characters of a path that are stored; longer ones than an upload may have are refused with a reason.
PATH_CHARACTERS = 1000


ROLES = [
    (Batch.Role.CLASS, _("this class")),
    (Batch.Role.EARLIER, _("earlier or other work: compared with this class, not among itself")),
    (Batch.Role.MODEL, _("model solutions, such as what a language model wrote: compared with this class only")),
]

# The value of a choice of depth in the list of layouts: "depth 2".
DEPTH = "depth "
MAX_DIGITS = 2


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files, each cleaned as by `FileField`, with a limit for their total size."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = data if isinstance(data, list | tuple) else [data]
        cleaned = [super(FilesField, self).clean(file, initial) for file in files or [None]]
        if sum(file.size for file in cleaned if file) > settings.MAX_UPLOAD_BYTES:
            raise ValidationError(too_much_at_once())
        return cleaned


class UploadForm(forms.Form):
    """Any number of files, such as those of boilerplate."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The page checks this limit before it sends anything.
        self.limit = settings.MAX_UPLOAD_BYTES
        # An empty file does not invalidate the others: the batch lists it as skipped, with the reason.
        self.fields["files"] = FilesField(
            label=_("Files"), allow_empty_file=True, error_messages={"required": _("Choose at least one file.")}
        )

    def clean(self) -> dict[str, Any]:
        """Name the files of dropped folders by their paths, which a browser does not send with them."""
        files = self.cleaned_data.get("files", [])
        paths = _paths(self.data.get("paths", ""))
        if paths and len(paths) == len(files):
            self.cleaned_data["files"] = [File(file, path) for file, path in zip(files, paths, strict=True)]
        return self.cleaned_data


class StatementForm(UploadForm):
    """The statement of a task, as files or as a text that was pasted."""

    text = forms.CharField(label=_("Or paste it"), required=False, widget=forms.Textarea(attrs={"rows": 4}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["files"].required = False

    def clean(self) -> dict[str, Any]:
        """Make a file of a text that was pasted."""
        super().clean()
        files = [file for file in self.cleaned_data.get("files", []) if file]
        if text := self.cleaned_data.get("text"):
            files.append(ContentFile(text.encode(), "statement.txt"))
        if not files and not self.errors:
            self.add_error("files", _("Choose a file, or paste the statement."))
        self.cleaned_data["files"] = files
        return self.cleaned_data


def _paths(text: str) -> list[str]:
    """Return the paths in a JSON list; none if it is no list of texts."""
    try:
        paths = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return []
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return []
    return [storable(path)[:PATH_CHARACTERS] for path in paths]


class SubmissionsForm(UploadForm):
    role = forms.TypedChoiceField(label=_("These are"), required=False, choices=ROLES, empty_value=Batch.Role.CLASS)


class PreviewForm:
    """Changes to the choices of a listed upload.

    `layout`: the key of a layout, or DEPTH and a number; `attempts`; `old` and `new`: names of submissions as
    shown, and as wanted; `chosen`: names of submissions to `do` something with: merge, split, or reset all.
    """

    def __init__(self, data: QueryDict) -> None:
        self.data = data

    def change(self, choices: Choices) -> Choices:
        """Return the choices with these changes; raise BadChoices, which is for the uploader."""
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
