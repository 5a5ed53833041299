"""The form of a share link."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from submissions.actions.shares import DURATIONS, LONGEST, end_of_day


class ShareForm(forms.Form):
    """The duration of a share link, and whether its pages show aliases."""

    lasting = forms.ChoiceField(
        choices=[
            ("day", _("1 day")),
            ("week", _("1 week")),
            ("month", _("1 month")),
            ("date", _("until a date")),
        ],
        initial="week",
        widget=forms.RadioSelect,
        label=_("Valid for"),
    )
    until = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "aria-label": _("Last day")}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    anonymous = forms.BooleanField(
        required=False, initial=True, label=_("Replace all names with made-up ones")
    )

    def clean(self) -> dict[str, Any]:
        """Set `expires` to the time at which the link ends."""
        data = self.cleaned_data
        if (lasting := data.get("lasting")) in DURATIONS:
            data["expires"] = timezone.now() + DURATIONS[lasting]
        elif lasting and "until" not in self.errors:
            self._set_expiry(data)
        return data

    def _set_expiry(self, data: dict[str, Any]) -> None:
        today = timezone.localdate()
        until, latest = data.get("until"), today + LONGEST
        if not until:
            self.add_error("until", _("Choose the last day on which the link works."))
        elif until < today:
            self.add_error("until", _("That day has passed; choose today or a later one."))
        elif until > latest:
            day = date_format(latest, "d F Y")
            message = _("A link lasts a year at most; choose {day} or earlier.")
            self.add_error("until", message.format(day=day))
        else:
            data["expires"] = end_of_day(until)
