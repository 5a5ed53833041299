"""The form of an upload of any number of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from fingerprint.engine import storable
from submissions.models import Batch
from submissions.pages.request_bodies import too_much_at_once

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

# Characters of a path that are stored; longer ones than an upload may have are refused with a reason.
PATH_CHARACTERS = 1000


ROLES = [
    (Batch.Role.CLASS, _("this class")),
    (Batch.Role.EARLIER, _("earlier or other work: compared with this class, not among itself")),
    (
        Batch.Role.MODEL,
        _("model solutions, such as what a language model wrote: compared with this class only"),
    ),
]


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
            label=_("Files"),
            allow_empty_file=True,
            error_messages={"required": _("Choose at least one file.")},
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
    """Submissions, with the role that they have in the comparison."""

    role = forms.ChoiceField(
        label=_("These are"),
        required=False,
        choices=ROLES,
    )

    def clean_role(self) -> str:
        return self.cleaned_data["role"] or Batch.Role.CLASS
