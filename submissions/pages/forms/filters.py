"""The filter of a report's pairs, as a form and as the query of an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from django import forms

from submissions.models import Decision
from submissions.queries import SORT_FIELDS, PairFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FLAGS = {
    "identical": "Identical",
    "renamed": "Same but for names",
    "late": "Handed in late",
    "team": "Same team",
    "apart": "Not the same team",
}


class FilterForm(forms.Form):
    """A report's filter, read from the address; a value that will not do is left out."""

    q = forms.CharField(required=False, label="Name", max_length=200)
    minimum = forms.IntegerField(required=False, label="At least", min_value=0, max_value=100)
    flag = forms.ChoiceField(required=False, label="Flag", choices=[("", "Any"), *FLAGS.items()])
    decision = forms.ChoiceField(
        required=False, choices=[("", ""), *Decision.State.choices], widget=forms.HiddenInput
    )
    sort = forms.ChoiceField(
        required=False,
        choices=[(sign + name, name) for name in SORT_FIELDS for sign in ("", "-")],
        widget=forms.HiddenInput,
    )

    def offer(self, flags: Iterable[str]) -> None:
        """Let be chosen from those flags that any pair could have."""
        choices = [("", "Any"), *((flag, FLAGS[flag]) for flag in flags)]
        cast("forms.ChoiceField", self.fields["flag"]).choices = choices


def pair_filter(query: Mapping[str, Any]) -> PairFilter:
    form = FilterForm(query)
    form.is_valid()
    chosen = form.cleaned_data
    return PairFilter(
        text=chosen.get("q", ""),
        minimum=(chosen.get("minimum") or 0) / 100,
        sort=chosen.get("sort") or "-similarity",
        decision=chosen.get("decision", ""),
        flag=chosen.get("flag", ""),
    )


def query_string(chosen: PairFilter, page: int) -> str:
    """Write a filter as the query of an address, shortest form; "" for none."""
    words = {"q": chosen.text, "minimum": round(chosen.minimum * 100) or "", "flag": chosen.flag}
    words |= {"decision": chosen.decision, "sort": chosen.sort if chosen.sort != "-similarity" else ""}
    words["page"] = page if page > 1 else ""
    kept = {name: value for name, value in words.items() if value}
    return f"?{urlencode(kept)}" if kept else ""
