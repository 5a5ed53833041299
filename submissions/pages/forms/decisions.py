"""Deciding a pair, and sharing what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.utils import timezone

from submissions.actions.decisions import Wanted
from submissions.actions.sharing import LASTING, LONGEST, end_of
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
        widget=forms.Textarea(attrs={"rows": 2, "id": "decision-notes"}),
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


class ShareForm(forms.Form):
    """How long a link lasts, and whether it shows names."""

    lasting = forms.ChoiceField(
        choices=[("day", "1 day"), ("week", "1 week"), ("month", "1 month"), ("date", "until a date")],
        initial="week",
        widget=forms.RadioSelect,
        label="It lasts",
    )
    until = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "aria-label": "Last day"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    anonymous = forms.BooleanField(required=False, initial=True, label="Replace all names with made-up ones")

    def clean(self) -> dict[str, Any]:
        """Give `expires`, from the duration or the date."""
        data = self.cleaned_data
        if (lasting := data.get("lasting")) in LASTING:
            data["expires"] = timezone.now() + LASTING[lasting]
        elif lasting and "until" not in self.errors:
            self._take_date(data)
        return data

    def _take_date(self, data: dict[str, Any]) -> None:
        today = timezone.localdate()
        until, latest = data.get("until"), today + LONGEST
        if not until:
            self.add_error("until", "Choose the last day on which the link works.")
        elif until < today:
            self.add_error("until", "That day has passed; choose today or a later one.")
        elif until > latest:
            self.add_error("until", f"A link lasts a year at most; choose {latest:%d %B %Y} or earlier.")
        else:
            data["expires"] = end_of(until)
