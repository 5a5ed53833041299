"""Invite people, change their roles, and state a reason to read a course."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from submissions.models.people import CampusGroup, Membership, Role

if TYPE_CHECKING:
    from submissions.models import Course

    MemberChoiceField = forms.ModelChoiceField[Membership]
    CampusGroupModelForm = forms.ModelForm[CampusGroup]
else:
    CampusGroupModelForm = forms.ModelForm
    MemberChoiceField = forms.ModelChoiceField  # takes no parameter at run time

ROLE_HINT = _(
    "Instructors may do all but transfer or delete the course. Teaching assistants read and decide. "
    "Observers read with made-up names."
)
SHORTEST_REASON, LONGEST_REASON = 10, 1000


class InvitationForm(forms.Form):
    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    role = forms.ChoiceField(
        label=_("Role"), choices=Role.choices, help_text=ROLE_HINT, initial=Role.ASSISTANT
    )


class CampusGroupForm(CampusGroupModelForm):
    class Meta:
        model = CampusGroup
        fields = ("group", "role")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.course = course
        self.fields["group"].label = _("Name of the group")

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
