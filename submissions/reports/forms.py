"""The forms of a report: the filter of its pairs, its threshold, ignored lines, and exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _

from submissions.cases.documents import ALIASES, REAL_NAMES, students
from submissions.core.names import Names
from submissions.matches.file_formats import DOCUMENT_FORMATS
from submissions.matches.source_html import visible_text
from submissions.models import Decision, Pair
from submissions.reports.read import SORT_FIELDS, PairFilter

FLAG_LABELS = {
    "identical": _("Identical"), "layout": _("Identical except layout, comments, punctuation and modifiers"),
    "names": _("Identical except names"), "values": _("Identical except names, values and types"),
    "files": _("Identical files"), "whole": _("Nearly all of one side"), "late": _("Handed in late"),
    "team": _("Same team"), "apart": _("Not the same team"), "own": _("The same student"), "model": _("Model solution"),
    "partly": _("Partly read"), "disguised": _("Characters that look like others"),
}  # fmt: skip

# Radio buttons are used for up to so many students, a menu for more.
MAX_RADIOS = 2


class FilterForm(forms.Form):
    """The filter of a report, read from the address; invalid values are ignored."""

    q = forms.CharField(required=False, label=_("Name"), max_length=200)
    threshold = forms.IntegerField(required=False, label=_("At least"), min_value=0, max_value=100)
    flag = forms.ChoiceField(required=False, label=_("Flag"), choices=[("", _("Any")), *FLAG_LABELS.items()])
    work = forms.ChoiceField(
        required=False,
        label=_("Compared"),
        choices=[
            ("", _("With earlier work")),
            ("class", _("This class only")),
            ("earlier", _("Earlier work only")),
            ("model", _("Model solutions only")),
        ],
    )
    assignee = forms.CharField(required=False, label=_("Assignee"), max_length=150, widget=forms.Select)
    decision = forms.ChoiceField(required=False, choices=[("", ""), *Decision.State.choices], widget=forms.HiddenInput)
    sort = forms.ChoiceField(
        required=False,
        choices=[(sign + name, name) for name in SORT_FIELDS for sign in ("", "-")],
        widget=forms.HiddenInput,
    )

    def offer_flags(self, flags: Iterable[str]) -> None:
        """Restrict the choices to `flags`, those that a pair of the report could have."""
        choices = [("", _("Any")), *((flag, FLAG_LABELS[flag]) for flag in flags)]
        cast("forms.ChoiceField", self.fields["flag"]).choices = choices

    def offer_assignees(self, usernames: Iterable[str]) -> None:
        """List `usernames`, those to whom something is assigned, and the one of the address."""
        chosen = [str(self.data["assignee"])] if self.data.get("assignee") else []
        listed = sorted({*usernames, *chosen}, key=str.casefold)
        cast("forms.Select", self.fields["assignee"].widget).choices = [
            ("", _("Any")),
            *((name, name) for name in listed),
        ]


class LinesForm(forms.Form):
    """The first and the last line, from 1, of those to be ignored."""

    first = forms.IntegerField(min_value=1, max_value=10**9)
    last = forms.IntegerField(min_value=1, max_value=10**9)


class ThresholdForm(forms.Form):
    """The threshold of an assignment, empty for the suggested one, and the tab on which it was chosen."""

    percent = forms.IntegerField(required=False, min_value=1, max_value=100)
    tab = forms.ChoiceField(choices=[("cases", "cases"), ("pairs", "pairs")])


def parse_pair_filter(query: Mapping[str, Any]) -> PairFilter:
    """Return the filter that the query of an address describes; invalid values are ignored."""
    form = FilterForm(query)
    form.is_valid()
    data = form.cleaned_data
    return PairFilter(
        text=data.get("q", ""),
        threshold=(data.get("threshold") or 0) / 100,
        sort=data.get("sort") or "-similarity",
        decision=data.get("decision", ""),
        flag=data.get("flag", ""),
        work=data.get("work", ""),
        assignee=data.get("assignee", ""),
    )


def filter_values(pair_filter: PairFilter) -> dict[str, str | int]:
    """Return the fields of the form that differ from their defaults, with their values."""
    values: dict[str, str | int] = {
        "q": pair_filter.text,
        "threshold": round(pair_filter.threshold * 100),
        "flag": pair_filter.flag,
        "work": pair_filter.work,
        "assignee": pair_filter.assignee,
        "decision": pair_filter.decision,
        "sort": pair_filter.sort if pair_filter.sort != "-similarity" else "",
    }
    return {name: value for name, value in values.items() if value}


def query_string(pair_filter: PairFilter, page: int) -> str:
    """Return a filter as the query of an address, without default values; "" if all are defaults."""
    parameters = filter_values(pair_filter) | ({"page": page} if page > 1 else {})
    return f"?{urlencode(parameters)}" if parameters else ""


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
