"""Change the password, end sessions, create and revoke tokens. Each asks for a proof of who this is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from moss.integrations.accounts.proofs import proof_of
from submissions.core.rights import Right, courses_with
from submissions.models import ApiToken, Course

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest

WRONG = _("That is not your password.")
PROVE = _("Prove first that it is you.")
LENGTH_HINT = _("At least 12 characters of any kind, such as several words that do not belong together.")


def check_current_password(request: HttpRequest, password: str) -> str:
    """Return the password of the request's user.

    Raises
    ------
    ValidationError
        When it is another one. Wrong passwords count like those at signing in.
    """
    if authenticate(request, username=request.user.get_username(), password=password) != request.user:
        raise ValidationError(WRONG)
    return password


def password_field() -> forms.CharField:
    return forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class ChangePassword(PasswordChangeForm):
    """Django's form; a wrong old password counts like one at signing in."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["old_password"].label = _("Your current password")
        self.fields["new_password1"].label = _("New password")
        self.fields["new_password2"].label = _("New password again")
        self.fields["new_password1"].help_text = LENGTH_HINT
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        return check_current_password(self.request, self.cleaned_data["old_password"])


class ProvedForm(forms.Form):
    """A form that takes the password of the account, unless a provider has just asked who this is."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request, self.proof = request, proof_of(request)
        if self.proof.by_password and not self.proof.is_there:
            self.fields["password"] = password_field()

    def clean_password(self) -> str:
        return check_current_password(self.request, self.cleaned_data["password"])

    def clean(self) -> dict[str, Any]:
        if self.proof.is_missing:
            raise ValidationError(PROVE)
        return self.cleaned_data


class EndSessions(ProvedForm):
    """Choose other sessions to end; the button `others` chooses all of them."""

    def __init__(self, request: HttpRequest, handles: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["end"] = forms.MultipleChoiceField(
            choices=[(handle, handle) for handle in handles], required=False
        )

    def clean(self) -> dict[str, Any]:
        super().clean()
        if "others" in self.data:
            self.cleaned_data["end"] = [handle for handle, _ in self.fields["end"].choices]  # type: ignore[attr-defined]
        elif not self.cleaned_data.get("end") and "end" not in self.errors:
            self.add_error("end", _("Choose the sessions to end."))
        return self.cleaned_data


class CreateToken(ProvedForm):
    """A new token for the API: its name, what it may do, in which courses, and for how long."""

    name = forms.CharField(label=_("Name"), max_length=100, help_text=_("What uses it, such as a script."))
    scope = forms.ChoiceField(label=_("Rights"), choices=ApiToken.Scope.choices)
    lasting = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[(30, _("30 days")), (90, _("90 days")), (365, _("1 year"))],
        initial=90,
    )
    courses = forms.ModelMultipleChoiceField(
        Course.objects.none(),
        label=_("Courses"),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 4}),
        help_text=_("Hold Ctrl or ⌘ to choose several. Without a choice it is for all of your courses."),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        offered = cast("forms.ModelMultipleChoiceField[Course]", self.fields["courses"])
        offered.queryset = courses_with(cast("User", request.user), Right.READ)


class RevokeTokens(ProvedForm):
    """Choose tokens to revoke."""

    def __init__(self, request: HttpRequest, keys: list[int], *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["revoke"] = forms.TypedMultipleChoiceField(
            coerce=int,
            choices=[(key, str(key)) for key in keys],
            error_messages={"required": _("Choose the tokens to revoke.")},
        )
