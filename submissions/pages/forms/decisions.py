"""The form of a decision on a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.actions.decisions import DecisionInput
from submissions.models import Decision
from submissions.queries.decisions import possible_assignees

if TYPE_CHECKING:
    from submissions.models import Assignment, CaseDecision

MAX_NOTES_CHARACTERS = 10_000


class DecisionForm(forms.Form):
    """A decision's state, assignee and notes; `seen` is the id of the newest change at rendering, or 0."""

    state = forms.ChoiceField(choices=Decision.State.choices, widget=forms.RadioSelect)
    notes = forms.CharField(
        required=False,
        max_length=MAX_NOTES_CHARACTERS,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2, "id": "decision-notes"}),
    )
    seen = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)

    def __init__(
        self, assignment: Assignment, decision: Decision | CaseDecision, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["assignee"] = forms.ModelChoiceField(
            possible_assignees(assignment, decision),
            required=False,
            empty_label=_("nobody"),
            widget=forms.Select(attrs={"id": "decision-assignee"}),
        )

    def clean_notes(self) -> str:
        """Convert line ends to LF; browsers send CRLF."""
        return cast("str", self.cleaned_data["notes"]).replace("\r\n", "\n")

    @property
    def error_texts(self) -> list[str]:
        """The messages about all fields that are not valid."""
        return [str(error) for errors in self.errors.values() for error in errors]

    @property
    def decision_input(self) -> DecisionInput:
        """The values of a valid form; `notes` is None if the page had no field for them."""
        data = self.cleaned_data
        has_notes = "notes" in self.data
        return DecisionInput(
            data["state"], data["assignee"], data["notes"] if has_notes else None, data["seen"]
        )
