"""Decide a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms

from submissions.actions import DecisionInput
from submissions.models import Decision
from submissions.queries.decisions import possible_assignees

if TYPE_CHECKING:
    from submissions.models import Assignment

LONGEST_NOTES = 10_000


class DecisionForm(forms.Form):
    """A pair's state, assignee and notes; `seen` is the last change that the form shows."""

    state = forms.ChoiceField(choices=Decision.State.choices, widget=forms.RadioSelect)
    notes = forms.CharField(
        required=False,
        max_length=LONGEST_NOTES,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2, "id": "decision-notes"}),
    )
    seen = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)

    def __init__(self, assignment: Assignment, decision: Decision, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["assignee"] = forms.ModelChoiceField(
            possible_assignees(assignment, decision),
            required=False,
            empty_label="nobody",
            widget=forms.Select(attrs={"id": "decision-assignee"}),
        )

    def clean_notes(self) -> str:
        """Restore the line ends that the browser changed."""
        return cast("str", self.cleaned_data["notes"]).replace("\r\n", "\n")

    @property
    def given(self) -> DecisionInput:
        """The input of a valid form."""
        data = self.cleaned_data
        offered = "notes" in self.data
        return DecisionInput(
            data["state"], data["assignee"], data["notes"] if offered else None, data["seen"]
        )
