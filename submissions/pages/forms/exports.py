"""Options of a document: its format, whose names it shows, and what it has beside the passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.pages.exports.copies import MADE_UP, OPEN, students
from submissions.pages.exports.formats import DOCUMENT_FORMATS
from submissions.pages.source_view.visible import visible_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.models import Pair
    from submissions.pseudonyms.names import Names

# More students than this are chosen from a menu.
RADIOS = 2


class ExportForm(forms.Form):
    names = forms.ChoiceField(label="Names")
    decision = forms.BooleanField(required=False, label="Decision, notes and their history")
    sources = forms.BooleanField(required=False, label="The whole sources, after the passages")
    format = forms.ChoiceField(choices=[(name, form.title) for name, form in DOCUMENT_FORMATS.items()])

    def __init__(self, pairs: Sequence[Pair], names: Names, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = list(_choices(pairs, names))
        few = len(students(pairs)) <= RADIOS
        field = forms.ChoiceField(
            label="Names", choices=choices, widget=forms.RadioSelect if few else forms.Select
        )
        self.fields["names"] = field
        self.initial = {"names": choices[0][0], "decision": True}


def _choices(pairs: Sequence[Pair], names: Names) -> Iterator[tuple[str, str]]:
    """Give whose copies there are; whoever does not know the names can give nobody's own."""
    if names.made_up:
        yield MADE_UP, "Made up, as on your pages"
        return
    yield OPEN, "As they are"
    for one in students(pairs):
        name = SafeString(visible_plainly(one.name))
        yield str(one.pk), format_html("A copy for {}: everybody else is hidden", name)
    yield MADE_UP, "Made up for everybody"
