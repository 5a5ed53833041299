"""A list of repositories, as an instructor or a program sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from moss.integrations.repositories.git import GitMissing, program
from moss.integrations.repositories.listing import BadList, Listed, parse
from moss.integrations.repositories.models import MOST_HOURS
from submissions.models import Batch
from submissions.uploads.forms import ROLES

if TYPE_CHECKING:
    from submissions.models import Assignment

LONGEST_TOKEN = 1000


class TokenForm(forms.Form):
    """The token that reads private repositories; it is shown on no page."""

    token = forms.CharField(
        label=gettext_lazy("Read token, if the repositories are private"),
        help_text=gettext_lazy(
            "It is kept encrypted while it is needed, and sent to the host of the list only."
        ),
        required=False,
        max_length=LONGEST_TOKEN,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_token(self) -> str:
        token: str = self.cleaned_data["token"].strip()
        if not (token.isascii() and token.isprintable()):
            raise ValidationError(_("That is no token."))
        return token


class RepositoriesForm(TokenForm):
    """A list of repositories, and how they are fetched."""

    repositories = forms.CharField(
        label=gettext_lazy("Repositories, one a line"),
        help_text=gettext_lazy(
            "The address alone, or student, address, branch and commit, separated by commas. "
            "Only the address is required."
        ),
        widget=forms.Textarea(
            attrs={
                "rows": 8,
                "spellcheck": "false",
                "placeholder": "Anna Berg,https://github.com/anna/lab1\nhttps://gitlab.com/ben/lab1",
            }
        ),
    )
    role = forms.ChoiceField(label=gettext_lazy("These are"), required=False, choices=ROLES)
    preview = forms.BooleanField(
        label=gettext_lazy("Check how they are read before anything is compared"), required=False
    )
    again_after_due = forms.BooleanField(
        label=gettext_lazy("Fetch again and compare when the due date has passed"), required=False
    )
    hours_after_due = forms.IntegerField(
        label=gettext_lazy("Hours to wait after the due date"),
        help_text=gettext_lazy(
            "Some push later what they committed in time. Commits after the due date never count."
        ),
        required=False,
        min_value=0,
        max_value=MOST_HOURS,
        initial=0,
    )
    field_order = ("repositories", "token", "role", "preview", "again_after_due", "hours_after_due")

    def __init__(self, assignment: Assignment, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.assignment = assignment

    def clean_repositories(self) -> list[Listed]:
        try:
            listed = parse(self.cleaned_data["repositories"])
            program()
        except (BadList, GitMissing) as error:
            raise ValidationError(_(str(error))) from error
        if not settings.GIT_NETWORKS and any(urlsplit(one.address).scheme != "https" for one in listed):
            raise ValidationError(_("The addresses must begin with https://."))
        return listed

    def clean_role(self) -> str:
        return self.cleaned_data["role"] or Batch.Role.CLASS

    def clean_again_after_due(self) -> bool:
        again: bool = self.cleaned_data["again_after_due"]
        if again and not self.assignment.due:
            raise ValidationError(_("The assignment has no due date. Set it in its settings first."))
        return again

    def clean_hours_after_due(self) -> int:
        hours: int = self.cleaned_data["hours_after_due"] or 0
        if hours and not self.cleaned_data.get("again_after_due", True):
            raise ValidationError(_("Nothing is fetched again. Tick that, or wait no hours."))
        return hours

    def clean(self) -> dict[str, Any]:
        """Refuse a token for a list of several hosts: it is sent to one only."""
        hosts = {urlsplit(one.address).netloc for one in self.cleaned_data.get("repositories", ())}
        if self.cleaned_data.get("token") and len(hosts) > 1:
            names = ", ".join(sorted(hosts))
            text = _("A token is for one host, and these are at {names}. Make a list for each.")
            self.add_error("token", text.format(names=names))
        return self.cleaned_data
