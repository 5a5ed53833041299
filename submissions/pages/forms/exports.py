"""Options of an exported document: its format, its names, and its content besides the passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _

from submissions.comparison.export_formats import DOCUMENT_FORMATS
from submissions.comparison.visible import visible_text
from submissions.pages.exports.copies import ALIASES, REAL_NAMES, students

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.models import Pair
    from submissions.pseudonyms.names import Names

# Radio buttons are used for up to so many students, a menu for more.
MAX_RADIOS = 2


class ExportForm(forms.Form):
    names = forms.ChoiceField(label=_("Names"))
    decision = forms.BooleanField(required=False, label=_("Decision, notes and their history"))
    sources = forms.BooleanField(required=False, label=_("The whole sources, after the passages"))
    format = forms.ChoiceField(
        choices=[(name, export_format.title) for name, export_format in DOCUMENT_FORMATS.items()]
    )

    def __init__(self, pairs: Sequence[Pair], names: Names, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = list(_reader_choices(pairs, names))
        widget = forms.RadioSelect if len(students(pairs)) <= MAX_RADIOS else forms.Select
        self.fields["names"] = forms.ChoiceField(label=_("Names"), choices=choices, widget=widget)
        self.initial = {"names": choices[0][0], "decision": True}


def _reader_choices(pairs: Sequence[Pair], names: Names) -> Iterator[tuple[str, str]]:
    """Yield the readers of a copy; a user who sees aliases can only export aliases."""
    if names.aliases:
        yield ALIASES, gettext("Made up, as on your pages")
        return
    yield REAL_NAMES, gettext("As they are")
    for student in students(pairs):
        name = SafeString(visible_text(names.display_name(student.name)))
        yield str(student.pk), format_html(gettext("A copy for {}: all other names are hidden"), name)
    yield ALIASES, gettext("Made-up names for all")
