"""Pages about one's own account, their forms and their addresses."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse_lazy
from django.utils.translation import get_language, gettext as _, gettext_lazy, ngettext

from moss.integrations.accounts.campus import proof_of
from moss.integrations.accounts.models import MailChoice
from moss.integrations.accounts.sessions import end_all_but, end_sessions, listed_sessions
from moss.integrations.moss_protocol.models import user_id_of
from submissions.core.accounts import create_token, note_tokens, revoke_tokens, tokens, usage_of
from submissions.core.rights import Right, courses_with
from submissions.intake.limits import format_size
from submissions.models import ApiToken, Course
from submissions.pages.requests import AuthenticatedRequest, client_address, signed_in

WRONG = gettext_lazy("That is not your password.")
PROVE = gettext_lazy("Prove first that it is you.")
LENGTH_HINT = gettext_lazy("At least 12 characters of any kind, such as several words that do not belong together.")

logger = logging.getLogger(__name__)

# The port that is in the scripts of the MOSS service.
USUAL_PORT = 7690


def check_current_password(request: HttpRequest, password: str) -> str:
    """Return the password of the request's user.

    Raises ValidationError when it is another one. Wrong passwords count like those at signing in.
    """
    if authenticate(request, username=request.user.get_username(), password=password) != request.user:
        raise ValidationError(WRONG)
    return password


class ChangePassword(PasswordChangeForm):
    """Django's form; a wrong old password counts like one at signing in."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["old_password"].label = gettext_lazy("Your current password")
        self.fields["new_password1"].label = gettext_lazy("New password")
        self.fields["new_password2"].label = gettext_lazy("New password again")
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
            self.fields["password"] = forms.CharField(
                label=gettext_lazy("Your password"),
                strip=False,
                widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
            )

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
        self.fields["end"] = forms.MultipleChoiceField(choices=[(handle, handle) for handle in handles], required=False)

    def clean(self) -> dict[str, Any]:
        super().clean()
        if "others" in self.data:
            self.cleaned_data["end"] = [handle for handle, _ in self.fields["end"].choices]  # type: ignore[attr-defined]
        elif not self.cleaned_data.get("end") and "end" not in self.errors:
            self.add_error("end", gettext_lazy("Choose the sessions to end."))
        return self.cleaned_data


class CreateToken(ProvedForm):
    """A new token for the API: its name, what it may do, in which courses, and for how long."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=100, help_text=gettext_lazy("What uses it, such as a script.")
    )
    scope = forms.ChoiceField(label=gettext_lazy("Rights"), choices=ApiToken.Scope.choices)
    lasting = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        coerce=int,
        choices=[(30, gettext_lazy("30 days")), (90, gettext_lazy("90 days")), (365, gettext_lazy("1 year"))],
        initial=90,
    )
    courses = forms.ModelMultipleChoiceField(
        Course.objects.none(),
        label=gettext_lazy("Courses"),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 4}),
        help_text=gettext_lazy("Hold Ctrl or ⌘ to choose several. Without a choice it is for all of your courses."),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        offered = cast("forms.ModelMultipleChoiceField[Course]", self.fields["courses"])
        offered.queryset = courses_with(cast("User", request.user), Right.READ)


class RevokeTokens(ProvedForm):
    def __init__(self, request: HttpRequest, keys: list[int], *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["revoke"] = forms.TypedMultipleChoiceField(
            coerce=int,
            choices=[(key, str(key)) for key in keys],
            error_messages={"required": gettext_lazy("Choose the tokens to revoke.")},
        )


@signed_in("GET", "POST")
def account(request: AuthenticatedRequest) -> HttpResponse:
    """List the sessions of the user, and end those that are chosen."""
    sessions = listed_sessions(request.user, request.session.session_key)
    others = [session.handle for session in sessions if not session.is_current]
    form = EndSessions(request, others, request.POST or None)
    if form.is_valid():
        ended = end_sessions(request.user, form.cleaned_data["end"])
        logger.info("account %s ended %d of its sessions", request.user.pk, ended)
        messages.success(request, ngettext("{n} session was ended.", "{n} sessions were ended.", ended).format(n=ended))
        return redirect("account")
    usage = usage_of(request.user)
    context = {
        "sessions": sessions,
        "others": others,
        "form": form,
        "stored": format_size(usage.stored),
        "storage": format_size(settings.STORAGE_BYTES),
        "uploads": usage.uploads,
        "uploads_an_hour": settings.UPLOADS_AN_HOUR,
        "idle_hours": settings.SESSION_IDLE_HOURS,
        "longest_days": settings.SESSION_LONGEST_DAYS,
        "sends_mail": settings.MAIL,
        "mail_choice": MailChoice.objects.filter(user=request.user).first() or MailChoice(),
        # What a script of the MOSS service needs, where this service takes its uploads.
        "listens": settings.LISTEN,
        "moss_user_id": user_id_of(request.user) if settings.LISTEN else "",
        "listen_host": urlsplit(f"//{request.get_host()}").hostname,
        "listen_port": settings.LISTEN_PORT,
        "usual_port": USUAL_PORT,
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


@signed_in("POST")
def choose_mail(request: AuthenticatedRequest) -> HttpResponse:
    """Choose whether mail about reports is sent; it is written in the language of this page."""
    choice = {"reports": "reports" in request.POST, "language": get_language() or ""}
    MailChoice.objects.update_or_create(user=request.user, defaults=choice)
    messages.success(request, _("Saved."))
    return redirect("account")


class ChangePasswordView(PasswordChangeView):
    """Change the password and end the other sessions; the key of this session changes, too."""

    form_class = ChangePassword
    template_name = "accounts/password.html"
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: ChangePassword) -> HttpResponse:
        response = super().form_valid(form)
        end_all_but(form.user, self.request.session.session_key)
        logger.info("account %s changed its password", form.user.pk)
        messages.success(self.request, _("Your password was changed, and your other sessions were ended."))
        return response

    def form_invalid(self, form: ChangePassword) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


@signed_in("GET", "POST")
def api_tokens(request: AuthenticatedRequest) -> HttpResponse:
    """List the tokens of the user, create one, which the answer shows once, and revoke those chosen."""
    revokes = "revoke_chosen" in request.POST
    keys = [token.pk for token in tokens(request.user)]
    revoke = RevokeTokens(request, keys, request.POST if revokes else None, prefix="old")
    create = CreateToken(request, request.POST if request.POST and not revokes else None)
    if revoke.is_valid():
        return _revoked(request, revoke.cleaned_data["revoke"])
    secret = _created(request, create) if create.is_valid() else ""
    context = {
        "tokens": tokens(request.user),
        "create": CreateToken(request) if secret else create,
        "revoke": revoke,
        "secret": secret,
    }
    status = 422 if create.errors or revoke.errors else 200
    return render(request, "accounts/tokens.html", context, status=status)


def _created(request: AuthenticatedRequest, form: CreateToken) -> str:
    data = form.cleaned_data
    lasting = timedelta(days=data["lasting"])
    token, secret = create_token(request.user, data["name"], data["scope"], lasting, data["courses"])
    _note(request, "created", [token])
    logger.info("account %s created token %s (%s)", request.user.pk, token.pk, token.scope)
    return secret


def _revoked(request: AuthenticatedRequest, keys: list[int]) -> HttpResponse:
    chosen = [token for token in tokens(request.user) if token.pk in keys]
    revoked = revoke_tokens(request.user, keys)
    _note(request, "revoked", chosen)
    logger.info("account %s revoked the tokens %s", request.user.pk, keys)
    text = ngettext("{n} token was revoked.", "{n} tokens were revoked.", revoked)
    messages.success(request, text.format(n=revoked))
    return redirect("api_tokens")


def _note(request: AuthenticatedRequest, what: str, changed: list[ApiToken]) -> None:
    note_tokens(request.user.get_username(), client_address(request), what, changed)


urlpatterns = [
    path("account/", account, name="account"),
    path("account/mail/", choose_mail, name="choose_mail"),
    path("account/tokens/", api_tokens, name="api_tokens"),
    path("account/password/", ChangePasswordView.as_view(), name="change_password"),
]
