"""Invite people, change their roles, and state a reason to read a course; share links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from submissions.models.people import CampusGroup, Membership, Role

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Course

    MemberChoiceField = forms.ModelChoiceField[Membership]
    CampusGroupModelForm = forms.ModelForm[CampusGroup]
else:
    CampusGroupModelForm = forms.ModelForm
    MemberChoiceField = forms.ModelChoiceField  # takes no parameter at run time


from django import forms
from django.utils import timezone
from django.utils.formats import date_format

from submissions.actions.shares import DURATIONS, LONGEST, end_of_day
from submissions.queries.people import invitations_of_the_last_hour

ROLE_HINT = _(
    "Instructors may do all but transfer or delete the course. Teaching assistants read and decide. "
    "Observers read with made-up names."
)
SHORTEST_REASON, LONGEST_REASON = 10, 1000
# Invitations of one account in an hour: each is a mail to an address that nobody checked.
MOST_INVITATIONS = 100


class InvitationForm(forms.Form):
    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    role = forms.ChoiceField(
        label=_("Role"), choices=Role.choices, help_text=ROLE_HINT, initial=Role.ASSISTANT
    )

    def __init__(self, inviter: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.inviter = inviter

    def clean(self) -> dict[str, Any]:
        """Refuse more invitations of one account than an hour allows."""
        if invitations_of_the_last_hour(self.inviter) >= MOST_INVITATIONS:
            text = _("You sent {n} invitations in the last hour, as many as one may. Go on later.")
            raise ValidationError(text.format(n=MOST_INVITATIONS))
        return self.cleaned_data


class CampusGroupForm(CampusGroupModelForm):
    class Meta:
        model = CampusGroup
        fields = ("group", "role")
        labels: ClassVar = {"group": _("Name of the group"), "role": _("Role")}

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.course = course

    def clean_group(self) -> str:
        group: str = self.cleaned_data["group"]
        if CampusGroup.objects.filter(course=self.instance.course, group=group).exists():
            raise ValidationError(_("This group has a role in the course already."))
        return group


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Why do you need to read it?"),
        min_length=SHORTEST_REASON,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The people of the course see the reason, with your name and the time."),
    )


class MemberField(MemberChoiceField):
    def label_from_instance(self, membership: Membership) -> str:
        return membership.user.get_username()


class TransferForm(forms.Form):
    """Choose the member who becomes the owner."""

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = Membership.objects.filter(course=course).select_related("user")
        self.fields["member"] = MemberField(members, label=_("New owner"), empty_label=None)


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
