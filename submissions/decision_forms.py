"""Deciding a pair, and sharing what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms

from submissions.decisions import Wanted
from submissions.models import Decision
from submissions.queries.decisions import decision_makers

if TYPE_CHECKING:
    from submissions.models import Assignment

LONGEST_NOTES = 10_000


class DecisionForm(forms.Form):
    """A pair's state, who looks at it, and notes; `seen` is the last change that the form knew of."""

    state = forms.ChoiceField(choices=Decision.State.choices, widget=forms.RadioSelect)
    notes = forms.CharField(
        required=False,
        max_length=LONGEST_NOTES,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 3, "id": "decision-notes"}),
    )
    seen = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)

    def __init__(self, of: Assignment, made: Decision, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["assignee"] = forms.ModelChoiceField(
            decision_makers(of, made),
            required=False,
            empty_label="nobody",
            widget=forms.Select(attrs={"id": "decision-assignee"}),
        )

    def clean_notes(self) -> str:
        """Give line ends as they were before the browser sent them."""
        return cast("str", self.cleaned_data["notes"]).replace("\r\n", "\n")

    @property
    def wanted(self) -> Wanted:
        """What a valid form asks for."""
        data = self.cleaned_data
        offered = "notes" in self.data
        return Wanted(data["state"], data["assignee"], data["notes"] if offered else None, data["seen"])
